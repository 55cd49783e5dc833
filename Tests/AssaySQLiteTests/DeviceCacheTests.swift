import AssayCore
import AssayLedger
import Testing

@testable import AssaySQLite

@Suite("Device cache")
struct DeviceCacheTests {
    private let cache = DeviceCache(bytes: 640_000)

    private func keep(_ device: Device) { cache.insert(device, readAfter: cache.device(device.testKey).epoch) }

    @Test("The device cache applies committed advances")
    func follows() throws {
        let device = try Sample.device()
        keep(device)
        let later = Sample.now.adding(milliseconds: 1000)
        cache.publish([.advanced(Sample.advance(device, to: 5), at: later)], othersWrote: false)
        let held = try #require(cache.device(device.testKey).device)
        #expect(held.counter == 5 && held.counterWindow == 1 << 5 | 1 && held.lastAcceptedAt == later)
        cache.publish([.unclear(device.id)], othersWrote: false)
        #expect(cache.device(device.testKey).device == nil)
    }

    @Test("The device cache follows an acceptance without a counter, and its time never goes back")
    func touched() throws {
        let device = try Sample.device()
        keep(device)
        let later = Sample.now.adding(milliseconds: 1000)
        for time in [later, Sample.now] {
            cache.publish([.touched(device.id, at: time)], othersWrote: false)
            var expected = device
            expected.lastAcceptedAt = later
            #expect(cache.device(device.testKey).device == expected)
        }
        cache.publish([.touched(.random(), at: later)], othersWrote: false)
        #expect(cache.device(device.id).device != nil)
    }

    @Test("The device cache follows the state that a transaction found or stored, unless the record is from a later one")
    func counted() throws {
        let device = try Sample.device()
        keep(device)
        func publish(_ counter: UInt32, _ window: UInt64) -> CounterState? {
            let state = CounterState(counter: counter, window: window)
            cache.publish([.counted(device.id, state, at: Sample.now)], othersWrote: false)
            return cache.device(device.testKey).device.map { CounterState(counter: $0.counter, window: $0.counterWindow) }
        }
        #expect(publish(9, 0b101) == CounterState(counter: 9, window: 0b101))
        #expect(publish(7, 0b1) == CounterState(counter: 9, window: 0b101))
        #expect(publish(9, 0b11) == CounterState(counter: 9, window: 0b111))
        cache.publish([.counted(.random(), CounterState(counter: 1, window: 1), at: Sample.now)], othersWrote: false)
        #expect(cache.device(device.id).device?.lastAcceptedAt == max(device.lastAcceptedAt, Sample.now))
    }

    @Test(
        "Devices of many keys: only those that are not cached are read, and are cached unless a transaction was published meanwhile"
    )
    func many() async throws {
        let (known, new, raced) = (try Sample.device(), try Sample.device(), try Sample.device())
        keep(known)
        let stranger = try Sample.device().testKey
        let found = await cache.devices(of: [new.testKey, known.testKey, stranger]) { keys in
            #expect(keys == [new.testKey, stranger])
            return [.success(new), .failure(.corrupt("test"))]
        }
        #expect(found == [.success(new), .success(known), .failure(.corrupt("test"))])
        #expect(cache.device(new.testKey).device == new && cache.device(stranger).device == nil)
        let again = await cache.devices(of: [raced.testKey]) { _ in
            cache.publish([], othersWrote: false)
            return [.success(raced)]
        }
        #expect(again == [.success(raced)] && cache.device(raced.testKey).device == nil)
    }

    @Test("The device cache finds a device by its id as by its key")
    func byID() throws {
        let device = try Sample.device()
        #expect(cache.device(device.id).device == nil)
        keep(device)
        #expect(cache.device(device.id).device == device)
        #expect(cache.device(DeviceID.random()).device == nil)
        cache.publish([.unclear(device.id)], othersWrote: false)
        #expect(cache.device(device.id).device == nil)
        let epoch = cache.device(device.id).epoch
        cache.publish([], othersWrote: false)
        cache.insert(device, readAfter: epoch)
        #expect(cache.device(device.id).device == nil, "it was read before a commit")
    }

    @Test("The device cache drops a record to which a committed advance does not apply")
    func stale() throws {
        var device = try Sample.device()
        device.counter = 9
        keep(device)
        cache.publish([.advanced(Sample.advance(device, to: 5), at: Sample.now)], othersWrote: false)
        #expect(cache.device(device.testKey).device == nil)
    }

    @Test("The device cache refuses a record that was read before a commit")
    func race() throws {
        let device = try Sample.device()
        let epoch = cache.device(device.testKey).epoch
        cache.publish([], othersWrote: false)
        cache.insert(device, readAfter: epoch)
        #expect(cache.device(device.testKey).device == nil)
    }

    @Test("The device cache holds no blocked device")
    func blocked() throws {
        var device = try Sample.device()
        device.blocks = [.init(.device, reason: "r", since: Sample.now)]
        keep(device)
        #expect(cache.device(device.testKey).device == nil)
    }

    @Test("The device cache is emptied when another process wrote")
    func others() throws {
        let device = try Sample.device()
        keep(device)
        cache.publish([], othersWrote: true)
        #expect(cache.device(device.testKey).device == nil)
    }

    @Test("A device cache of no size holds nothing")
    func none() throws {
        let (none, device) = (DeviceCache(bytes: 0), try Sample.device())
        none.insert(device, readAfter: none.device(device.id).epoch)
        #expect(none.device(device.id).device == nil && none.device(device.testKey).device == nil)
    }

    @Test("The device cache drops records that are not used")
    func bounded() throws {
        let favourite = try Sample.device()
        keep(favourite)
        let others = try (0..<500).map { _ in try Sample.device() }
        for other in others {
            keep(other)
            #expect(cache.device(favourite.testKey).device == favourite)
        }
        let held = others.count { cache.device($0.testKey).device != nil }
        #expect(held > 60 && held < 200)
    }
}
