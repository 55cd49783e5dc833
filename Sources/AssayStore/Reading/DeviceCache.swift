import AssayCore
import Synchronization

/// Device records in memory, up to about a number of bytes.
///
/// What is here may be older than the file only where another process wrote to it. That is harmless: a commit rechecks
/// counters and blocks, counters only rise, and a blocked device is never kept here, so that lifting its block is seen.
///
/// Two generations: what is asked for moves into the recent one; when that is full it becomes the older one, and what
/// was not asked for since is let go.
final class DeviceCache: Sendable {
    private let state = Mutex(State())
    private let generationLimit: Int

    fileprivate struct State {
        var recent = Generation()
        var older = Generation()
        /// Counts publications; see `insert`.
        var epoch: UInt64 = 0
    }

    fileprivate struct Generation {
        var devices: [DeviceKey: Device] = [:]
        var keys: [DeviceID: DeviceKey] = [:]
        var bytes = 0
    }

    init(bytes: Int) { generationLimit = bytes / 2 }

    /// The device if it is here, and the epoch to give to `insert` if it is not.
    func device(_ key: DeviceKey) -> (device: Device?, epoch: UInt64) {
        state.withLock { state in
            if let device = state.recent.devices[key] { return (device, state.epoch) }
            guard let device = state.older.devices[key] else { return (nil, state.epoch) }
            add(device, to: &state)
            return (device, state.epoch)
        }
    }

    /// Keeps a device that was read after `epoch` was taken, unless something was published since: then what was read
    /// may be older than that.
    func insert(_ device: Device, readAfter epoch: UInt64) {
        guard device.block == nil else { return }
        state.withLock { state in
            if state.epoch == epoch { add(device, to: &state) }
        }
    }

    /// Follows a transaction that was committed, before anybody hears of it.
    func publish(_ changes: [DeviceChange], othersWrote: Bool) {
        state.withLock { state in
            state.epoch += 1
            if othersWrote {
                state.recent = Generation()
                state.older = Generation()
            }
            for change in changes {
                state.recent.apply(change)
                state.older.apply(change)
            }
        }
    }

    func clear() { publish([], othersWrote: true) }

    private func add(_ device: Device, to state: inout State) {
        state.recent.add(device)
        guard state.recent.bytes > generationLimit else { return }
        state.older = state.recent
        state.recent = Generation()
    }
}

extension DeviceCache.Generation {
    fileprivate mutating func add(_ device: Device) {
        guard devices.updateValue(device, forKey: device.key) == nil else { return }
        keys[device.id] = device.key
        bytes += device.approximateBytes
    }

    fileprivate mutating func apply(_ change: DeviceChange) {
        switch change {
        case .unclear(let id): remove(id)
        case .advanced(let advance, let time):
            guard let key = keys[advance.device] else { return }
            let isFollowed = devices[key]?.follow(advance, at: time) ?? false
            if !isFollowed { remove(advance.device) }
        }
    }

    private mutating func remove(_ id: DeviceID) {
        guard let key = keys.removeValue(forKey: id), let device = devices.removeValue(forKey: key) else { return }
        bytes -= device.approximateBytes
    }
}

extension Device {
    /// Repeats what the ledger did. False if it could not have been done to this record: the record was stale.
    fileprivate mutating func follow(_ advance: LedgerEntry.Advance, at time: Timestamp) -> Bool {
        let state = CounterState(counter: counter, window: counterWindow)
        guard let next = try? state.advanced(to: advance.counter, rule: advance.rule) else { return false }
        (counter, counterWindow) = (next.counter, next.window)
        lastAcceptedAt = max(lastAcceptedAt, time)
        return true
    }

    /// Heap bytes, with a round sum for the objects themselves.
    fileprivate var approximateBytes: Int {
        let claims = registration.claims.all.count * 160
        let serials = registration.chainSerials.reduce(0) { $0 + $1.count + 48 }
        return 1000 + claims + serials + registration.receipt.count + registration.publicKey.count
    }
}
