import AppAttest
import AssayAPI
import AssayCore
import AssaySimulator
import AssayTesting
import Testing

/// A clone, signed for development under the same App ID, that says it came from the App Store: through the whole pipeline.
@Suite("Extensions that an app forges")
struct ForgedExtensionsTests {
    static let map = AuthenticatorDataDraft.extensions(category: 4, bundleVersion: "9").bytes
    static let listed = AppAttestPolicy(allowedValidationCategories: [4])
    static let strict = AppAttestPolicy(allowedValidationCategories: [4], requireExtensions: true)

    /// A handset whose system appends nothing.
    static func handset() -> Handset { Handset(osVersion: "26.1") }

    private static func isNoted(_ verdict: Assay_V1_Verdict) -> Bool {
        verdict.findings.contains { $0.code == "extensions_unattributed" }
    }

    private static func claims(_ verdict: Assay_V1_Verdict, _ name: String) -> Bool {
        verdict.claims.contains { $0.name == name }
    }

    @Test("are a note of a registration, no claim of the device, and refused where extensions are required")
    func registration() async throws {
        let harness = try await ServiceHarness([.testing(.camera, policy: Self.listed), .testing(.notes, policy: Self.strict)])
        let verdict = try await harness.verify(
            try Self.handset().registration(
                try await harness.challenge(.register), at: harness.clock.now(), changes: .genuine.forgedExtensions(Self.map)))
        #expect(verdict.isAccepted && Self.isNoted(verdict) && !Self.claims(verdict, "validation_category"))
        let id = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        let device = try #require(try await harness.ledger.device(id))
        #expect(device.registration.claims["validation_category"] == nil)
        #expect(device.registration.claims["receipt_verified"] == .boolean(false))

        let other = Handset(app: .notes, osVersion: "26.1")
        let refused = try await harness.verify(
            try other.registration(
                try await harness.challenge(.register, app: .notes), at: harness.clock.now(),
                changes: .genuine.forgedExtensions(Self.map)))
        #expect(refused.rejection == .categoryMissing && refused.check == "validation_category")
    }

    @Test("are a note of an assertion, no claim of its verdict, and refused where extensions are required")
    func assertion() async throws {
        let ledger = WatchedLedger()
        let harness = try await ServiceHarness([.testing(.camera, policy: Self.listed)], ledger: ledger)
        var handset = Self.handset()
        let registered = try await harness.verify(
            try handset.registration(try await harness.challenge(.register), at: harness.clock.now()))
        #expect(registered.isAccepted && !Self.isNoted(registered))
        let verdict = try await harness.assert(&handset, changes: .genuine.forgedExtensions(Self.map))
        #expect(verdict.isAccepted && Self.isNoted(verdict) && !Self.claims(verdict, "validation_category"))
        let strict = try await ServiceHarness([.testing(.camera, policy: Self.strict)], ledger: ledger)
        let refused = try await strict.assert(&handset, changes: .genuine.forgedExtensions(Self.map))
        #expect(refused.rejection == .categoryMissing)
    }

    @Test(
        "do not lock out a device whose registration a receipt vouched for, with ED set or clear",
        arguments: [0x40, 0xC0] as [UInt8])
    func honest(_ flags: UInt8) async throws {
        let harness = try await ServiceHarness([.testing(.camera, policy: Self.strict)])
        var (handset, id) = try await harness.enrol()
        let device = try #require(try await harness.ledger.device(id))
        #expect(device.registration.claims.integer("validation_category") == 4)
        let verdict = try await harness.assert(&handset, changes: .genuine.authenticatorData { $0.flags = flags })
        #expect(verdict.isAccepted && Self.isNoted(verdict) == (flags == 0x40))
        #expect(Self.claims(verdict, "validation_category") == (flags == 0xC0))
        // Nothing appended at all: the registered category counts.
        let silent = try await harness.assert(&handset, changes: .genuine.authenticatorData { $0.extensions = nil })
        #expect(silent.isAccepted && !Self.isNoted(silent))
    }
}
