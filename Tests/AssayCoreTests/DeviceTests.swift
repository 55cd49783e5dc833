import Testing

@testable import AssayCore

@Suite("Device")
struct DeviceTests {
    private static let now = Timestamp(unixSeconds: 1_750_000_000)

    private static func device(_ keyID: [UInt8] = [1]) throws -> Device {
        Device(
            id: .random(), app: try #require(AppID("photos")), subject: [7],
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: keyID, publicKey: [2], environment: "production", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: false),
            registeredAt: now)
    }

    private static let changes: [@Sendable (inout Device) -> Void] = [
        { $0.counter = 5 }, { $0.counterWindow = 3 }, { $0.lastAcceptedAt = now.adding(milliseconds: 1) },
        { $0.flags = [DeviceFlag(name: "farm", setter: .plugin("p"), detail: "", since: now, until: now)] },
    ]

    @Test("A change of a copy leaves the others as they were, and makes it another device's record", arguments: changes.indices)
    func copies(_ index: Int) throws {
        let device = try Self.device()
        var copy = device
        #expect(copy == device && copy.hashValue == device.hashValue)
        Self.changes[index](&copy)
        #expect(copy != device && copy.id == device.id && copy.subject == [7] && copy.key == device.key)
        #expect(device.counter == 0 && device.counterWindow == 1 && device.flags.isEmpty && device.lastAcceptedAt == Self.now)
        var other = device
        Self.changes[index](&other)
        #expect(other == copy)
    }

    @Test("Names and keys of devices are equal by their bytes, and so are their hashes")
    func keys() throws {
        let device = try Self.device([1, 2, 3])
        let id = try #require(DeviceID(bytes: Array(device.id.bytes)))
        #expect(id == device.id && Set([id, device.id]).count == 1)
        let (photos, other) = (try #require(AppID("photos")), try #require(AppID("photo")))
        let keys: Set = [
            device.key, DeviceKey(app: photos, keyID: [1, 2, 3]), DeviceKey(app: photos, keyID: [1, 2]),
            DeviceKey(app: other, keyID: [1, 2, 3]),
        ]
        #expect(keys.count == 3)
    }
}
