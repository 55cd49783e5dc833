import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Crypto
import Foundation
import SwiftProtobuf
import Testing

/// Renewals of a fleet's devices.
@Suite("Renewal of fleets")
struct FleetRenewalTests {
    private static let secrets = FleetSecrets(root: [UInt8](repeating: 0x0F, count: 32), app: .camera)
    private let ledger = WatchedLedger()

    private static func rule(assurance: Assurance = .software) -> FleetRule {
        FleetRule(
            manufacturer: "Example Cameras", validationEndpoint: "https://example.org/validate", assurance: assurance)
    }

    /// A daemon over the test's ledger, whose rule for certificates on evidence would refuse each renewal of a fleet.
    private func harness(
        _ rule: FleetRule? = rule(), authority: StandInAuthority = StandInAuthority()
    ) async throws -> ServiceHarness {
        let profile = AppProfile(
            id: .camera, verifiers: [StandInSignatureVerifier()], policyDigest: [UInt8](repeating: 0xD1, count: 32),
            issuing: IssuingRule(leastAssurance: .secureElement, vouchedCeiling: nil),
            fleet: rule.map { Fleet($0, Self.secrets) })
        return try await ServiceHarness([profile], ledger: ledger, authority: authority)
    }

    private static func publicKey() -> [UInt8] { Array(P256.Signing.PrivateKey().publicKey.derRepresentation) }

    private func provision(_ harness: ServiceHarness, _ key: [UInt8]) async throws -> Assay_V1_ProvisionDeviceResponse {
        _ = try await harness.call(
            API.addEnrolments,
            .with {
                $0.app = AppID.camera.text
                $0.serials = ["CAM-1"]
            })
        let answer = try await harness.call(
            API.provisionDevice,
            .with {
                $0.app = AppID.camera.text
                $0.deviceSerial = "CAM-1"
                $0.deviceFamily = "Model One"
                $0.csr = Data(StandInAuthority.csr(key))
            })
        try #require(answer.rejection.reason == "")
        return answer
    }

    private func renew(
        _ harness: ServiceHarness, _ current: [UInt8], to next: [UInt8]
    ) async throws -> Assay_V1_IssueCertificateResponse {
        try await harness.renew(SHA256.bytes(of: current), to: next)
    }

    /// Issues a certificate for a key as an older daemon renewed it: without the fleet's extensions.
    private func renewWithoutSecret(_ device: Data, to key: [UInt8]) async throws {
        let device = try #require(DeviceID(bytes: Array(device)))
        let certificate = DeviceCertificate(
            name: CertificateName(issuer: StandInAuthority.issuer, serial: [9]), app: .camera, device: device,
            keyID: SHA256.bytes(of: key), notBefore: ServiceHarness.opening,
            notAfter: ServiceHarness.opening.adding(milliseconds: 1 << 32), issuedAt: ServiceHarness.opening,
            basis: CertificateBasis(
                assurance: .software, protection: .vouched, platform: .fleetDevice, policyDigest: [], simulated: false),
            der: Array("without a secret".utf8))
        let entry = LedgerEntry(
            time: ServiceHarness.opening, spends: [],
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "test", app: .camera, purpose: .renew, device: device,
                assurance: .software, evidenceDigest: [], policyDigest: [], simulated: false),
            certification: .init(issues: certificate))
        #expect(try await ledger.commit([entry]) == [.committed])
    }

    @Test("Renewed certificates of a camera say what its first one says, with the secret sealed again each time")
    func content() async throws {
        let harness = try await harness()
        let keys = (0..<3).map { _ in Self.publicKey() }
        let made = try await provision(harness, keys[0])
        for (current, next) in [(keys[0], keys[1]), (keys[1], keys[2]), (keys[0], Self.publicKey())] {
            let renewed = try await renew(harness, current, to: next)
            #expect(renewed.verdict.isAccepted, "\(renewed.verdict.reason): \(renewed.verdict.detail)")
            #expect(renewed.certificate.deviceID == made.deviceID && renewed.certificate.platform == "fleet-device")
            #expect(renewed.certificate.keyProtection == .vouched && renewed.certificate.assurance == .software)
            let order = try #require(harness.authority.orders.last)
            #expect(order.publicKey == next && order.requestID == Array(renewed.verdict.requestID))
            #expect(order.profile == Self.rule().profile && order.profile.commonName == "{serial}")
        }
        let statements = harness.authority.orders.compactMap(\.fleet)
        #expect(statements.count == 4 && Set(statements.map(\.sealedSecret)).count == 4)
        for statement in statements {
            #expect(statement.serial == "CAM-1" && statement.family == "Model One")
            #expect(statement.manufacturer == "Example Cameras")
            #expect(
                statement.validationEndpoint == "https://example.org/validate" && statement.arc == .fleet)
            #expect(made.keyTableIndices.contains(UInt32(statement.table)))
            let key = try #require(Self.secrets.tables.key(table: statement.table, index: statement.keyIndex))
            #expect(SealedSecret.open(statement.sealedSecret, with: key) == Array(made.deviceSecret))
        }
    }

    @Test("A renewed certificate has the lower assurance of the certificate before it and of the fleet")
    func assurance() async throws {
        let authority = StandInAuthority()
        let key = Self.publicKey()
        _ = try await provision(try await harness(Self.rule(assurance: .platform), authority: authority), key)
        for (configured, expected) in [(Assurance.hardware, Assay_V1_Assurance.platform), (.software, .software)] {
            let renewed = try await renew(
                try await harness(Self.rule(assurance: configured), authority: authority), key, to: Self.publicKey())
            #expect(renewed.verdict.isAccepted && renewed.certificate.assurance == expected, "\(renewed.verdict.reason)")
        }
    }

    @Test("A camera's certificate is renewed for a P-256 key only, since others sign no bundles")
    func curve() async throws {
        let harness = try await harness()
        let key = Self.publicKey()
        _ = try await provision(harness, key)
        let wide = Array(P384.Signing.PrivateKey().publicKey.derRepresentation)
        let refused = try await renew(harness, key, to: wide)
        #expect(refused.verdict.reason == "wrong_curve" && refused.verdict.check == "csr" && !refused.hasCertificate)
    }

    @Test("A camera whose app has no fleet any more is told so, and the challenge stays good")
    func withoutFleet() async throws {
        let authority = StandInAuthority()
        let configured = try await harness(authority: authority)
        let key = Self.publicKey()
        _ = try await provision(configured, key)
        let bare = try await harness(nil, authority: authority)
        let request = try await bare.renewal(of: SHA256.bytes(of: key), to: Self.publicKey())
        let error = await #expect(throws: RPCError.self) { try await bare.call(API.renewCertificate, request) }
        #expect(error?.code == .failedPrecondition && error?.reason == "fleet_not_configured")
        #expect(try await configured.call(API.renewCertificate, request).verdict.isAccepted)
    }

    @Test("A certificate without a secret is renewed with that of the device's first one, and refused if that has none")
    func withoutSecret() async throws {
        let harness = try await harness()
        let (key, next) = (Self.publicKey(), Self.publicKey())
        let made = try await provision(harness, key)
        try await renewWithoutSecret(made.deviceID, to: next)
        let renewed = try await renew(harness, next, to: Self.publicKey())
        #expect(renewed.verdict.isAccepted, "\(renewed.verdict.reason): \(renewed.verdict.detail)")
        let statement = try #require(harness.authority.orders.last?.fleet)
        let sealing = try #require(Self.secrets.tables.key(table: statement.table, index: statement.keyIndex))
        #expect(SealedSecret.open(statement.sealedSecret, with: sealing) == Array(made.deviceSecret))
        // To another CA no certificate of this one has a secret.
        let refused = try await renew(try await self.harness(authority: StandInAuthority()), next, to: Self.publicKey())
        #expect(refused.verdict.reason == "secret_undecryptable" && refused.verdict.check == "secret")
    }
}
