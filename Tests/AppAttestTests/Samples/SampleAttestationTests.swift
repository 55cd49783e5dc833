import AppAttest
import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@Suite("Simulated attestations")
struct SampleAttestationTests {
    @Test("Each case of an attestation has the outcome of its row", arguments: AttestationCase.all)
    func outcome(_ attestation: AttestationCase) throws {
        let appraisal = try attestation.appraise()
        #expect(appraisal.failure?.code == attestation.code?.rawValue, "\(appraisal.failure?.detail ?? "")")
        if attestation.code == nil {
            #expect(appraisal.assurance == .secureElement && appraisal.simulated)
            guard case .register = appraisal.effect else {
                Issue.record("accepted, and nothing is registered")
                return
            }
        } else {
            #expect(appraisal.assurance == .none)
            guard case .none = appraisal.effect else {
                Issue.record("refused, and something is to be remembered")
                return
            }
        }
    }

    /// Chain, nonce and key id make an attestation authentic.
    @Test("No claim is made before the attestation is authentic", arguments: AttestationCase.all.filter { $0.code != nil })
    func claims(_ attestation: AttestationCase) throws {
        let appraisal = try attestation.appraise()
        let passed = Set(appraisal.findings.filter { $0.outcome == .pass }.map(\.check))
        let isAuthentic = passed.isSuperset(of: ["chain_signatures", "nonce", "key_id"])
        #expect(isAuthentic || appraisal.claims.all.isEmpty)
        // Nothing is checked after a failure.
        #expect(appraisal.findings.last?.outcome == .fail)
    }

    @Test("The documented checks are done in the documented order")
    func order() throws {
        let appraisal = try AttestationCase(0, "a Mac", nil) {
            $0.phone = Sample.mac()
            $0.identities = [Sample.identity(Sample.appID, .macOS)]
        }.appraise()
        #expect(
            appraisal.findings.map(\.check) == [
                "size", "key_id_form", "cbor", "format", "x5c", "receipt", "certificates", "chain_names", "chain_constraints",
                "chain_algorithms", "chain_anchor", "chain_validity", "chain_signatures", "nonce", "key_id", "auth_data",
                "app_id", "flags", "counter", "environment", "credential_id", "credential_key", "extensions", "access_control",
                "validation_category", "bundle_version", "receipt_size", "receipt_cms", "receipt_payload",
                "receipt_certificates", "receipt_chain_names", "receipt_chain_constraints", "receipt_chain_algorithms",
                "receipt_chain_anchor", "receipt_chain_validity", "receipt_chain_signatures", "receipt_signer",
                "receipt_signature", "receipt_chain_validity_at_creation", "receipt_app_id", "receipt_public_key",
                "receipt_type", "receipt_environment", "receipt_client_hash", "receipt_time", "receipt_expiration",
                "receipt_age",
            ])
        #expect(appraisal.findings.allSatisfy { $0.outcome == .pass })
    }

    @Test("An accepted attestation registers its key and claims its fields", arguments: ["18.5", "27.0"])
    func registers(_ osVersion: String) throws {
        var phone = Sample.phone(osVersion)
        let key = phone.makeKey()
        let registration = try Sample.register(key)
        #expect(registration.keyID == key.keyID && registration.publicKey == key.publicKey)
        #expect(registration.environment == "production" && registration.simulated)
        #expect(registration.anchor == (try Sample.anchors().first?.publicKeySHA256))
        #expect(registration.chainSerials.count == 2 && registration.receipt.count > 2500)
        let claims = registration.claims
        #expect(claims.text("app_id") == Sample.appID && claims.text("platform") == "ios")
        #expect(claims.text("os_version") == osVersion && claims.text("os_build") == "0SIM0")
        #expect(claims.integer("sign_count") == 0 && claims.integer("flags") == 0x40)
        let recent = osVersion == "27.0"
        #expect(claims["extensions_present"] == .boolean(recent))
        #expect(claims.integer("validation_category") == (recent ? 4 : nil))
        #expect(claims.text("bundle_version") == (recent ? "1" : nil))
    }

    @Test("A registration keeps app, platform and environment")
    func remembers() throws {
        let identities = [
            Sample.identity(), Sample.identity(Sample.otherAppID, environments: [.development]),
            Sample.identity("TEAMID1234.com.example.desktop", .macOS),
        ]
        for (phone, platform) in [
            (Sample.phone(), "ios"), (Sample.phone(appID: Sample.otherAppID, environment: .development), "ios"),
            (Sample.phone(appID: "TEAMID1234.com.example.desktop", platform: .macOS), "macos"),
        ] {
            var phone = phone
            let registration = try Sample.register(phone.makeKey(), identities: identities)
            #expect(registration.claims.text("app_id") == phone.appID)
            #expect(registration.claims.text("platform") == platform)
            #expect(registration.environment == phone.environment.rawValue)
        }
        // One app's permissions are not the other's.
        for (appID, environment) in [(Sample.appID, "development"), (Sample.otherAppID, "production")] {
            var phone = Sample.phone(
                appID: appID, environment: environment == "production" ? .production : .development)
            let key = phone.makeKey()
            #expect(throws: Refused.self) { try Sample.register(key, identities: identities) }
        }
    }

    @Test("Leniencies are noted")
    func notes() throws {
        func notes(_ changes: AttestationChanges, phone: VirtualPhone = Sample.phone()) throws -> [String] {
            try AttestationCase(0, "", nil, changes) { $0.phone = phone }.appraise().findings
                .filter { $0.outcome == .note }.map(\.code)
        }
        #expect(try notes(.genuine).isEmpty)
        #expect(try notes(.genuine, phone: Sample.phone("18.5")) == ["not_reported", "not_reported"])
        #expect(try notes(.genuine.object { $0.append("cdHash", CBORWriter.bytes([1])) }) == ["unsigned_cd_hash"])
        #expect(try notes(.genuine.chain { $0.append(Sample.authority.rootCertificate) }) == ["longer_chain"])
    }
}
