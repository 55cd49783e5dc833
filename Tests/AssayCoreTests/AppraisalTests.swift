import AssayCore
import Testing

@Suite("Appraisal")
struct AppraisalTests {
    private let format = EvidenceFormat(rawValue: "example")

    @Test("An appraisal lists its checks in order and keeps the body's result")
    func complete() {
        let appraisal = Appraisal.build(format) { checks throws(Rejection) in
            let number = try checks.check("parse") { () throws(Rejection) in 7 }
            try checks.require("seven", number == 7, else: .badChain, "not seven")
            checks.note("extensions", "not_reported", "before OS 27")
            checks.assurance = .secureElement
            checks.claims.add("number", .integer(7))
        }
        #expect(appraisal.findings.map(\.check) == ["parse", "seven", "extensions"])
        #expect(appraisal.findings.map(\.outcome) == [.pass, .pass, .note])
        #expect(appraisal.failure == nil)
        #expect(appraisal.assurance == .secureElement)
    }

    @Test("An appraisal ends at the first failure and requests no effect")
    func failure() throws {
        let device = DeviceID.random()
        let appraisal = Appraisal.build(format) { checks throws(Rejection) in
            checks.effect = .advance(device: device, counter: 1, rule: .strictlyIncreasing)
            try checks.require("chain", true, else: .badChain, "unused")
            try checks.require("signature", false, else: .badSignature, "does not verify")
            try checks.require("never", true, else: .badChain, "unused")
        }
        #expect(appraisal.findings.map(\.check) == ["chain", "signature"])
        let failure = try #require(appraisal.failure)
        #expect(failure == .fail("signature", Rejection(.badSignature, "does not verify")))
        guard case .none = appraisal.effect else {
            Issue.record("an appraisal that failed asks for an effect")
            return
        }
    }

    @Test("A rejection thrown outside any check is kept")
    func unnamed() {
        let appraisal = Appraisal.build(format) { _ throws(Rejection) in throw Rejection(.malformedCBOR, "cut off") }
        #expect(appraisal.findings.map(\.code) == ["malformed_cbor"])
        #expect(appraisal.failure?.check == "evidence")
    }

    @Test("The sentence of a failure is not evaluated without a failure")
    func lazyDetail() {
        _ = Appraisal.build(format) { checks throws(Rejection) in
            try checks.require(
                "good", true, else: .badChain,
                {
                    Issue.record("evaluated"); return ""
                }())
        }
    }

    @Test("Rejections are equal by their code")
    func rejections() {
        #expect(Rejection(.badChain, "one") == Rejection(.badChain, "two"))
        #expect(Rejection(.badChain, "one") != Rejection(.badSignature, "one"))
        #expect(Set([Rejection(.badChain, "one"), Rejection(.badChain, "two")]).count == 1)
    }
}

@Suite("Digests")
struct DigestTests {
    private func digest(_ fields: [String], tag: String = "t") -> [UInt8] {
        var hash = FieldDigest(tag)
        for field in fields { hash.append(field) }
        return hash.finalize()
    }

    @Test("No two lists of fields give the same input")
    func ambiguity() {
        let lists: [[String]] = [
            [], [""], ["", ""], ["ab"], ["a", "b"], ["", "ab"], ["ab", ""], ["a", "b", ""], ["\u{0}\u{0}\u{0}\u{0}"],
        ]
        #expect(Set(lists.map { digest($0) }).count == lists.count)
        #expect(digest(["a"], tag: "t") != digest([], tag: "ta"))
        #expect(digest(["a"], tag: "t") != digest(["a"], tag: "u"))
    }

    @Test("A number is its eight bytes, a text its UTF-8")
    func kinds() {
        var number = FieldDigest("t")
        number.append(UInt64(258))
        var bytes = FieldDigest("t")
        bytes.append([0, 0, 0, 0, 0, 0, 1, 2])
        #expect(number.finalize() == bytes.finalize())
        var text = FieldDigest("t")
        text.append([0x61])
        #expect(text.finalize() == digest(["a"]))
    }

    @Test("The digest of evidence covers format, key id and body separately")
    func evidence() {
        func evidence(_ format: String, _ keyID: [UInt8], _ body: [UInt8]) -> [UInt8] {
            Evidence(format: EvidenceFormat(rawValue: format), keyID: keyID, body: body).digest
        }
        let digests = [
            evidence("f", [1], [2, 3]), evidence("f", [1, 2], [3]), evidence("f", [], [1, 2, 3]), evidence("g", [1], [2, 3]),
        ]
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.count == 32 })
        #expect(evidence("f", [1], [2, 3]) == digests[0])
    }
}
