import AssayAPI
import AssayCore
import AssayTesting
import Crypto
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Followers of answers")
struct AnswerFollowerTests {
    /// Signs accepted verdicts, after a while, as a key in a token does.
    private struct Signing: AnswerFollower {
        /// The answer's field that has the signature.
        static let tag: [UInt8] = [0xFA, 0x07]  // 127, of bytes
        let key: P256.Signing.PrivateKey

        func follow(_ group: inout AnsweredRequests) async {
            for index in group.answers.indices {
                guard case .verdict(let verdict) = group.answers[index], case .accepted = verdict.decision else { continue }
                try? await Task.sleep(for: .milliseconds(5))
                let message = verdict.serialized()
                guard let signature = try? key.signature(for: message).rawRepresentation else { continue }
                group.answers[index] = .completed(verdict, message: message + Self.tag + [64] + signature)
            }
        }

        func follow(_ outcome: ProvisioningOutcome) {}
    }

    private struct Seen: AnswerFollower {
        let note: @Sendable (Answer) -> Void
        func follow(_ group: inout AnsweredRequests) { group.answers.forEach(note) }
        func follow(_ outcome: ProvisioningOutcome) {}
    }

    @Test(
        "A follower may wait and answer an accepted verdict with a signed message; a rejected one and the counts stay as they are"
    )
    func signing() async throws {
        let key = P256.Signing.PrivateKey()
        let harness = try await ServiceHarness(followers: [Signing(key: key)])
        var verdict = try await harness.verify(try Handset().registration(try await harness.challenge(.register)))
        #expect(verdict.isAccepted)
        let field = [UInt8](verdict.unknownFields.data)
        #expect(field.count == 67 && Array(field.prefix(2)) == Signing.tag)
        verdict.unknownFields = UnknownStorage()
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: field.dropFirst(3))
        let signed: [UInt8] = try verdict.serializedBytes()
        #expect(key.publicKey.isValidSignature(signature, for: signed))

        let rejected = try await harness.verify(VerdictsServiceTests.rejected(.camera))
        #expect(!rejected.isAccepted && rejected.unknownFields.data.isEmpty)
        #expect(harness.counters.counts.rejected == [.challengeInvalid: 1])
        #expect(harness.counters.counts.accepted == 1)
    }

    @Test("A follower is told of what those before it made of the answer")
    func order() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
        let seen = Seen { continuation.yield($0) }
        let harness = try await ServiceHarness(followers: [seen, Signing(key: P256.Signing.PrivateKey()), seen])
        _ = try await harness.verify(try Handset().registration(try await harness.challenge(.register)))
        continuation.finish()
        var kinds: [String] = []
        for await answer in answers {
            switch answer {
            case .verdict: kinds.append("verdict")
            case .completed: kinds.append("signed")
            default: kinds.append("other")
            }
        }
        #expect(kinds == ["verdict", "signed"])
    }
}
