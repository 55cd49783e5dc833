import AssayCertificates
import AssayCore
import AssaySimulator
import AssayTesting
import Testing

@testable import AppAttest

/// Changed receipts are refused if the change affects signed bytes. Only the envelope is unsigned: another encoding of it must
/// give the same content.
@Suite("Mutations of receipts")
struct ReceiptMutationTests {
    /// An accepted receipt, and the content that a mutant of it may be accepted with.
    struct Subject {
        let bytes: [UInt8]
        let verifier: ReceiptVerifier
        let expectation: ReceiptExpectation
        let message: SignedData
        let claims: Claims

        init(_ changes: ReceiptChanges = .genuine) throws {
            (bytes, expectation) = try ReceiptCase(0, "", nil, changes).make()
            verifier = ReceiptVerifier(anchors: try Sample.anchors(), links: LinkCache())
            message = try SignedData(parsing: bytes[...])
            let appraisal = verifier.appraise(bytes[...], against: expectation, .arriving(Sample.now))
            try #require(appraisal.failure == nil)
            claims = appraisal.claims
        }

        /// Whether a mutant was accepted; an acceptance with other than the signed content is an issue.
        func accepts(_ mutant: [UInt8], _ what: @autoclosure () -> String) -> Bool {
            let appraisal = verifier.appraise(mutant[...], against: expectation, .arriving(Sample.now))
            guard appraisal.failure == nil else { return false }
            let read = try? SignedData(parsing: mutant[...])
            if appraisal.claims != claims || read?.content != message.content {
                Issue.record("accepted \(what())")
            }
            return true
        }
    }

    @Test("A receipt with any byte changed is never accepted with other content", arguments: [false, true])
    func bytes(hasSignedAttributes: Bool) throws {
        let subject = try Subject(hasSignedAttributes ? .genuine.signedAttributes() : .genuine)
        var accepted = 0
        // Every byte of Apple's form; of the other form every third.
        for index in stride(from: 0, to: subject.bytes.count, by: hasSignedAttributes ? 3 : 1) {
            var mutant = subject.bytes
            mutant[index] ^= 1 << UInt8(index % 8)
            if subject.accepts(mutant, "byte \(index)") { accepted += 1 }
        }
        // The version, and the set of digests that the signer repeats: a few bytes of the envelope.
        #expect(accepted < 24, "\(accepted) accepted")
    }

    @Test("A receipt cut anywhere is malformed")
    func prefixes() throws {
        let subject = try Subject()
        for length in subject.bytes.indices {
            let appraisal = subject.verifier.appraise(
                subject.bytes.prefix(length), against: subject.expectation, .arriving(Sample.now))
            #expect(appraisal.failure?.code == ReasonCode.malformedCMS.rawValue, "\(length) bytes")
        }
    }

    @Test("A receipt with bytes cut out, inserted or moved is never accepted with other content")
    func pieces() throws {
        let subject = try Subject()
        var numbers = SeededNumbers(seed: 20_261_121)
        for round in 0..<1500 {
            var mutant = subject.bytes
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let start = Int.random(in: 0..<mutant.count, using: &numbers)
                let end = min(mutant.count, start + Int.random(in: 0...24, using: &numbers))
                let source = Int.random(in: 0..<mutant.count, using: &numbers)
                let piece = Array(mutant[source..<min(mutant.count, source + Int.random(in: 0...24, using: &numbers))])
                mutant.replaceSubrange(start..<end, with: piece)
                if mutant.isEmpty { mutant = [0] }
            }
            _ = subject.accepts(mutant, "round \(round)")
        }
    }
}
