import AssayCore
import AssayEncoding
import AssaySimulator
import Testing

@testable import AndroidKeyAttestation

/// Where a key description breaks, in the words of its schema.
@Suite("Malformed members of a key description")
struct MalformedMemberTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let sentence: String
        let change: @Sendable (inout SampleDescription) -> Void
        init(_ sentence: String, _ change: @escaping @Sendable (inout SampleDescription) -> Void) {
            (self.sentence, self.change) = (sentence, change)
        }
        var testDescription: String { sentence }
    }

    static let statements: [Case] = [
        Case("hardware-enforced [704] root_of_trust: an OCTET STRING where a SEQUENCE is due") {
            $0.setHardware(704, DERWriter.octetString([1]))
        },
        Case("hardware-enforced [704] root_of_trust verified_boot_state: an INTEGER where an ENUMERATED is due") {
            $0.setHardware(
                704,
                DERWriter.sequence([DERWriter.octetString([1]), DERWriter.boolean(true), DERWriter.integer(0)]))
        },
        Case("hardware-enforced [706] os_patch_level: a NULL where an INTEGER is due") {
            $0.setHardware(706, SampleDescription.null)
        },
        Case("hardware-enforced [1] purposes: an INTEGER where a SET is due") { $0.setHardware(1, DERWriter.integer(2)) },
        Case("hardware-enforced [702] origin: a negative INTEGER") { $0.setHardware(702, DERWriter.integer(content: [0xFF])) },
        Case("software-enforced [709] attestation_application_id signature_digests: a SEQUENCE where a SET is due") {
            $0.setSoftware(
                709, DERWriter.octetString(DERWriter.sequence([DERWriter.set([]), DERWriter.sequence([])])))
        },
        Case("software-enforced [709] attestation_application_id signature_digests: a digest of 31 bytes, want 32") {
            $0.setSoftware(709, SampleDescription.application(["a.b"], signers: [[UInt8](repeating: 1, count: 31)]))
        },
        Case("software-enforced [709] attestation_application_id: an INTEGER where a SEQUENCE is due") {
            $0.setSoftware(709, DERWriter.octetString(DERWriter.integer(1)))
        },
    ]
    static let fields: [Case] = [
        Case("attestationVersion: an OCTET STRING where an INTEGER is due") {
            $0.attestationVersion = DERWriter.octetString([1])
        },
        Case("attestationSecurityLevel: the security level 9, want 0 to 2") {
            $0.attestationLevel = SampleDescription.enumerated(9)
        },
        Case("attestationChallenge: a NULL where an OCTET STRING is due") { $0.challenge = SampleDescription.null },
    ]

    private func fault(_ test: Case) throws -> (sample: SampleDescription, rejection: Rejection) {
        var sample = SampleDescription()
        test.change(&sample)
        do {
            _ = try sample.read()
        } catch {
            return (sample, error)
        }
        Issue.record("read")
        return (sample, Rejection(.malformed, ""))
    }

    @Test("The sentence names list, tag, field and offset", arguments: statements + fields)
    func sentence(_ test: Case) throws {
        let (_, rejection) = try fault(test)
        #expect(rejection.code == .malformedExtension)
        #expect(rejection.detail.hasPrefix(test.sentence + " (byte "), "\(rejection.detail)")
        #expect(rejection.detail.hasSuffix(" of the extension)"))
    }

    @Test("An explanation finds the same fault, and shows every other statement", arguments: statements)
    func explanation(_ test: Case) throws {
        let (sample, rejection) = try fault(test)
        let explanation = KeyAttestationExplanation.description(sample.der[...])
        #expect(explanation.problem == rejection && explanation.problem?.detail == rejection.detail)
        #expect(explanation.parts.count == 2)
        let shown = explanation.parts.flatMap(\.fields).map(\.name)
        #expect(shown.contains("vendor_patch_level") && shown.contains("creation_datetime"), "\(shown)")
    }

    @Test("The offset is that of the element")
    func offset() throws {
        let (sample, rejection) = try fault(Self.statements[2])
        let place = try #require(sample.der.firstRange(of: [0xBF, 0x85, 0x42, 0x02, 0x05, 0x00])).lowerBound + 4
        #expect(rejection.detail.contains("(byte \(place) of"))
    }

    @Test("A chain with an attest key says that the key below was signed by one, and other extended chains do not")
    func attestKeys() throws {
        for (purpose, words) in [
            (7, ": the one below is signed by an attest key"), (2, "of a key that is not for attesting"),
        ] as [(UInt64, String)] {
            var attestation = SampleAttestation()
            attestation.changes = .genuine.description { $0.hardware.set(.purpose, integers: [purpose]) }
            attestation.afterwards = { attesting, attested, chain in
                try attesting.extend(chain, with: attested, challenge: SampleAttestation.clientData, at: SampleAttestation.time)
            }
            let failure = try #require(try attestation.appraise().failure)
            #expect(failure.code == "chain_extended")
            #expect(failure.detail.hasPrefix("certificate 1 carries a key description") && failure.detail.contains(words))
        }
    }

    @Test("The certificate that has expired is named by its place and its subject")
    func expired() throws {
        var attestation = SampleAttestation()
        attestation.now = SampleAttestation.time.adding(milliseconds: 100 * 86_400_000)
        let failure = try #require(try attestation.appraise().failure)
        #expect(failure.code == "expired")
        #expect(["1", "2", "3"].contains { failure.detail.hasPrefix("certificate \($0) (") }, "\(failure.detail)")
        #expect(failure.detail.contains("=") && failure.detail.contains("): valid until "))
    }
}
