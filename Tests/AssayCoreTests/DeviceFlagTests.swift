import Testing

@testable import AssayCore

@Suite("Flags of devices")
struct DeviceFlagTests {
    private static let now = Timestamp(unixSeconds: 1_750_000_000)

    private static func flag(_ name: String, _ setter: DeviceFlag.Setter = .plugin("anomaly"), lasting: Int64 = 1000)
        -> DeviceFlag
    {
        DeviceFlag(
            name: name, setter: setter, detail: "a detail", since: now, until: now.adding(milliseconds: lasting))
    }

    private static func device(_ flags: [DeviceFlag]) throws -> Device {
        Device(
            id: .random(), app: try #require(AppID("photos")), subject: nil,
            registration: Registration(
                format: EvidenceFormat(rawValue: "test"), keyID: [1], publicKey: [2], environment: "production", anchor: [],
                claims: Claims(), chainSerials: [], receipt: [], simulated: false),
            registeredAt: now, flags: flags)
    }

    @Test("A name has 1 to 32 lower-case letters, digits and underscores")
    func names() {
        for name in ["a", "counter_gap", "0", "_", String(repeating: "z", count: 32)] { #expect(DeviceFlag.isName(name)) }
        for name in ["", "Gap", "gap-1", "gäp", "gap ", "gap\0", String(repeating: "z", count: 33)] {
            #expect(!DeviceFlag.isName(name), "\(name)")
        }
    }

    @Test("Flags survive their stored form, and other bytes are refused")
    func storedForm() {
        let flags = [Self.flag("counter_gap"), Self.flag("farm", .caller("op"))]
        let bytes = flags.encoded()
        #expect([DeviceFlag](decoding: bytes) == flags)
        #expect([DeviceFlag](decoding: []) == [])
        for count in 1..<bytes.count {
            let decoded = [DeviceFlag](decoding: Array(bytes.prefix(count)))
            // A cut between two flags leaves the first.
            #expect(decoded == nil || decoded == [flags[0]], "\(count) bytes")
        }
        let nine = (0..<9).map { Self.flag("flag_\($0)") }
        #expect([DeviceFlag](decoding: nine.encoded()) == nil)
        #expect([DeviceFlag](decoding: [Self.flag("Not a name")].encoded()) == nil)
    }

    @Test("Facts keep the flags of the device, and those without are encoded as before")
    func facts() throws {
        let (plain, flagged) = (try Self.device([]), try Self.device([Self.flag("counter_gap")]))
        #expect(Facts(decoding: Facts(device: plain).encoded())?.device == plain)
        #expect(Facts(decoding: Facts(device: flagged).encoded())?.device == flagged)
        let recorded = flagged.recorded
        #expect(recorded.flags.map(\.name) == ["counter_gap"] && recorded.flags.map(\.detail) == [""])
    }

    @Test("A rule rejects a device on which a named flag stands, until it ends")
    func rule() throws {
        let device = try Self.device([Self.flag("counter_gap"), Self.flag("farm")])
        func code(_ rejected: [String], after milliseconds: Int64) -> FailureCode? {
            do throws(Rejection) {
                try DeviceFlagRule(rejected: rejected).check(device, at: Self.now.adding(milliseconds: milliseconds))
                return nil
            } catch { return error.code }
        }
        #expect(code(["farm"], after: 999) == .init(.deviceFlagged))
        #expect(code(["farm"], after: 1000) == nil)
        #expect(code(["other"], after: 0) == nil && code([], after: 0) == nil)
        let rejection = #expect(throws: Rejection.self) {
            try DeviceFlagRule(rejected: ["farm", "counter_gap", "farm"]).check(device, at: Self.now)
        }
        #expect(rejection?.detail.contains("counter_gap, farm") == true)
    }

    @Test("A rule that rejects nothing leaves the digest of a policy as it is")
    func digest() throws {
        let app = try #require(AppID("photos"))
        func digest(_ rule: DeviceFlagRule?) -> [UInt8] {
            var policy = PolicyText("test")
            rule?.describe(in: &policy)
            return AppPolicy(app, policy).digest
        }
        #expect(digest(DeviceFlagRule()) == digest(nil))
        #expect(digest(DeviceFlagRule(rejected: ["farm"])) != digest(nil))
        #expect(digest(DeviceFlagRule(rejected: ["b", "a"])) == digest(DeviceFlagRule(rejected: ["a", "b", "a"])))
    }
}
