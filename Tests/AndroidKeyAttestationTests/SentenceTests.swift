import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Testing

@testable import AndroidKeyAttestation

/// What a person is told of a key that is refused.
@Suite("Sentences about a key attestation")
struct SentenceTests {
    private func detail(
        _ code: ReasonCode, _ change: @escaping @Sendable (inout SampleDescription, inout AndroidPolicy) -> Void
    ) throws -> String {
        let failure = try #require(try PolicyTests.judge(PolicyTests.Case("", code) { change(&$0, &$1) }).failure)
        #expect(failure.code == code.rawValue)
        return failure.detail
    }

    @Test("A value that the device does not state is not replaced by another one")
    func missing() throws {
        #expect(
            try detail(.osVersion) { sample, policy in
                sample.setHardware(705, nil)
                policy.minimumOSVersion = 80_000
            } == "the version of Android is not stated, lowest 80000")
        #expect(
            try detail(.osVersion) { sample, policy in
                sample.setHardware(705, DERWriter.integer(0))
                policy.minimumOSVersion = 80_000
            } == "the system states the version 0, which stands for an unknown one, lowest 80000")
        #expect(
            try detail(.patchLevelTooOld) { sample, policy in
                sample.setHardware(706, DERWriter.integer(202_413))
                policy.patchLevels.os = .months(1)
            } == "the level is 202413, which is no month")
        #expect(
            try detail(.patchLevelTooOld) { sample, policy in
                sample.setHardware(706, nil)
                policy.patchLevels.os = .months(1)
            } == "the level is not stated")
        #expect(
            try detail(.keyPurpose) { sample, _ in sample.setHardware(1, nil) }.hasPrefix(
                "the purposes are not stated by the hardware, required: sign"))
        #expect(
            try detail(.keyOrigin) { sample, _ in sample.setHardware(702, DERWriter.integer(9)) }.hasPrefix(
                "the origin is 9, which the schema does not have"))
        #expect(
            try detail(.signerMismatch) { sample, _ in
                sample.setSoftware(709, SampleDescription.application(["com.example.photos"], signers: []))
            }.hasPrefix("the device names no signer of the package, allowed: "))
        #expect(
            try detail(.attestedIDMismatch) { _, policy in policy.attestedIDs = [.brand: ["google"]] }
                == "the brand is not attested")
    }

    @Test("The version that is too low is named with its package and the lowest one of that package")
    func version() throws {
        let detail = try detail(.appVersion) { sample, policy in
            sample.setSoftware(709, SampleDescription.application(["com.example.other", "com.example.photos"]))
            let signers: Set<[UInt8]> = [SampleDescription.signer]
            policy.apps = [
                AndroidApp(packageName: "com.example.other", signers: signers, minimumVersion: 1),
                AndroidApp(packageName: "com.example.photos", signers: signers, minimumVersion: 8),
            ]
        }
        #expect(detail == "the package \"com.example.photos\" has the version 7, lowest 8")
    }

    @Test("An examination compares no signer and no version of a package that is not the app's")
    func examination() throws {
        var sample = SampleDescription()
        sample.setSoftware(709, SampleDescription.application(["com.example.other"]))
        let facts = try sample.facts()
        let policy = AndroidPolicy(apps: [
            AndroidApp(packageName: "com.example.photos", signers: [SampleDescription.signer], minimumVersion: 8)
        ])
        let appraisal = Appraisal.build(.keyAttestation, under: Examination()) { appraisal throws(Rejection) in
            try policy.judgeApp(facts, in: &appraisal)
        }
        let outcomes = appraisal.findings.map { "\($0.check) \($0.outcome)" }
        #expect(outcomes == ["attested_app pass", "package fail", "signer skipped", "app_version skipped"])
        let signed = AndroidPolicy(apps: [AndroidApp(packageName: "com.example.other", signers: [], minimumVersion: 8)])
        let second = Appraisal.build(.keyAttestation, under: Examination()) { appraisal throws(Rejection) in
            try signed.judgeApp(facts, in: &appraisal)
        }
        #expect(second.findings.map { "\($0.check) \($0.outcome)" }.suffix(2) == ["signer fail", "app_version skipped"])
    }

    @Test("An empty challenge is called empty, and another one is shown by its length and digest")
    func challenge() throws {
        var attestation = SampleAttestation()
        attestation.challenge = []
        #expect(try attestation.appraise().failure?.detail == "the attestation challenge is empty")
        attestation.challenge = Array(SampleAttestation.clientData.dropLast())
        let detail = try #require(try attestation.appraise().failure?.detail)
        #expect(detail.hasPrefix("the attestation challenge has 92 bytes") && detail.contains("expected 93 with"))
        attestation.expected = []
        let nothing = try #require(try attestation.appraise().failure?.detail)
        #expect(!nothing.contains(Hex.short(SHA256.bytes(of: []))))
    }

    @Test("A challenge of other bytes names the app's slip")
    func slips() throws {
        let data = SampleAttestation.clientData
        for (challenge, words) in [
            (SHA256.bytes(of: data), "the app passed the hash of the client data, not the client data"),
            (Array(Base64.standard.encode(data.prefix(90)).utf8), ""),
            (
                Array(Hex.encode(SHA256.bytes(of: data)).utf8),
                "the app passed the hexadecimal text of the hash of the client data"
            ),
        ] {
            var attestation = SampleAttestation()
            attestation.challenge = challenge
            let detail = try #require(try attestation.appraise().failure?.detail)
            #expect(words.isEmpty ? !detail.contains("the app") : detail.hasSuffix(": \(words)"), "\(detail)")
        }
    }

    @Test("A key id that does not have 32 bytes is described by its length and form")
    func keyID() throws {
        var attestation = SampleAttestation()
        attestation.keyID = try attestation.chain().key.keyID + [0]
        let detail = try #require(try attestation.appraise().failure?.detail)
        #expect(detail == "a key id of 33 bytes, want 32")
        attestation.keyID = Array(Base64.standard.encode(try attestation.chain().key.keyID).utf8)
        let failure = try #require(try attestation.appraise().failure)
        #expect(failure.detail == "a key id of 44 bytes, want 32: the Base64 text of a key id?")
        #expect(failure.rejection?.retry == .never)
    }
}
