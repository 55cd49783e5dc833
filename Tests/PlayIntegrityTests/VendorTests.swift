import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("Tokens that Google decodes")
struct VendorTests {
    var sample: SampleToken
    init() throws {
        sample = try SampleToken()
        sample.decoding = .google
        sample.keys = []
    }

    private func isUnavailable(_ appraisal: Appraisal, _ code: String) -> Bool {
        guard case .unavailable = Decision([appraisal]) else { return false }
        return appraisal.findings.contains { $0.outcome == .unavailable && $0.check == "vendor" && $0.code == code }
            && appraisal.claims.all.isEmpty
    }

    @Test("Tokens are accepted with Google's answer")
    func good() throws {
        for token in [sample.sealedElsewhere, sample.signedElsewhere] {
            #expect(try sample.verifier().locate(sample.evidence(token)) == .outsideAnswer)
        }
        for payload in [sample.standard, sample.classic] {
            let appraisal = try sample.judge(reply: .answered(PlayConsole.decoded(payload)))
            #expect(appraisal.isAccepted && appraisal.assurance == .platform, "\(appraisal.findings)")
            #expect(appraisal.claims.text("decoded_by") == "google")
        }
    }

    @Test("Google's answer passes the same checks")
    func checks() throws {
        var payload = sample.standard
        payload["requestDetails", "requestPackageName"] = .text("com.evil.copy")
        #expect(try sample.judge(reply: .answered(PlayConsole.decoded(payload))).code == "package_mismatch")
    }

    @Test("Without an answer from Google a token is never accepted, and the decision is left open")
    func unavailable() throws {
        #expect(isUnavailable(try sample.judge(reply: .unavailable("no answer within 2 s")), "vendor_unavailable"))
        #expect(isUnavailable(try sample.judge(reply: nil), "vendor_not_asked"))
    }

    @Test(
        "An unreadable answer leaves the decision open",
        arguments: [
            "", "{}", "<html>", #"{"tokenPayloadExternal":{}}"#, #"{"tokenPayloadExternal":7}"#,
            #"{"tokenPayloadExternal":{"requestDetails":{}}}"#,
        ])
    func malformed(_ answer: String) throws {
        #expect(isUnavailable(try sample.judge(reply: .answered(Array(answer.utf8))), "vendor_answer_malformed"))
    }

    @Test(
        "A vendor answer that is not strict JSON leaves the decision open",
        arguments: [#""a":1,"a":1"#, #""a":"\ud800""#, #""\udc00":1"#])
    func strict(_ more: String) throws {
        let answer = PlayConsole.decoded(sample.standard)
        #expect(answer.last == UInt8(ascii: "}"))
        func judged(_ more: [UInt8]) throws -> Appraisal {
            try sample.judge(reply: .answered(answer.dropLast() + Array(",".utf8) + more + Array("}".utf8)))
        }
        #expect(try judged(Array(#""a":1,"b":"é""#.utf8)).isAccepted)
        #expect(isUnavailable(try judged(Array(more.utf8)), "vendor_answer_malformed"))
        #expect(isUnavailable(try judged(Array(#""a":""#.utf8) + [0xC3, 0x22]), "vendor_answer_malformed"))
    }

    @Test("An endless answer leaves the decision open")
    func long() throws {
        let answer = PlayConsole.decoded(sample.standard) + [UInt8](repeating: 0x20, count: 10_000_000)
        #expect(isUnavailable(try sample.judge(reply: .answered(answer)), "vendor_answer_malformed"))
    }

    @Test(
        "Google is not asked about bytes that do not have the form of a token, or another spelling of one",
        arguments: [PlayDecoding.google, .localThenGoogle])
    func junk(_ decoding: PlayDecoding) throws {
        var asking = sample
        asking.decoding = decoding
        asking.keys = decoding == .google ? [] : [try sample.keySet()]
        let verifier = try asking.verifier()
        let texts = [
            "junk", "opaque-token", "AAAA.AAAA", "AAAA.AAAA.AAAA", "AAAA.AAAA.AAAA.AAAA.AAAA", "....", "e30.e30.e30", "a.b.c",
        ]
        for text in texts
            + (try sample.respellings(of: sample.sealedElsewhere) + sample.respellings(of: sample.signedElsewhere))
        {
            #expect(throws: Rejection(.malformedToken, ""), "\(text.suffix(12))") { try verifier.locate(sample.evidence(text)) }
        }
    }

    @Test("Tokens that Google refuses are rejected")
    func refused() throws {
        #expect(try sample.judge(reply: .refused(Rejection(.vendorRefused, "not a token"))).code == "vendor_refused")
    }

    @Test("With both ways allowed, Google is asked only about tokens that no local key decrypts")
    func both() throws {
        var both = sample
        both.decoding = .localThenGoogle
        both.keys = [try sample.keySet()]
        let own = try sample.console.token(sample.classic)
        let foreign = try PlayConsole(seed: "other").token(sample.classic)
        let verifier = try both.verifier()
        #expect(try verifier.locate(both.evidence(own)) == .nothing)
        #expect(try verifier.locate(both.evidence(foreign)) == .outsideAnswer)
        #expect(try verifier.locate(both.evidence(sample.signedElsewhere)) == .outsideAnswer)
        #expect(try both.judge(token: own).isAccepted)
        #expect(try both.judge(reply: .answered(PlayConsole.decoded(sample.standard))).isAccepted)
        // A token that decrypts and is not signed by Google is an attack; Google is not asked.
        let forged = try sample.console.seal(PlayConsole(seed: "forger").sign(sample.classic.bytes))
        #expect(try verifier.locate(both.evidence(forged)) == .nothing)
        #expect(try both.judge(token: forged).code == "bad_signature")
    }

    @Test("An app that decrypts its tokens itself does not accept Google's answer")
    func local() throws {
        var local = sample
        local.decoding = .local
        local.keys = [try sample.keySet()]
        #expect(try local.judge(reply: .answered(PlayConsole.decoded(sample.standard))).code == "malformed_token")
    }
}
