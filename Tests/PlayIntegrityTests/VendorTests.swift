import AssayCore
import AssaySimulator
import PlayIntegrity
import Testing

@Suite("Tokens that Google opens")
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

    @Test("are accepted as Google tells them")
    func good() throws {
        for token in [sample.sealedElsewhere, sample.signedElsewhere] {
            #expect(try sample.verifier().locate(sample.evidence(token)) == .vendor)
        }
        for payload in [sample.standard, sample.classic] {
            let appraisal = try sample.judge(reply: .answered(PlayConsole.decoded(payload)))
            #expect(appraisal.isAccepted && appraisal.assurance == .platform, "\(appraisal.findings)")
            #expect(appraisal.claims.text("decoded_by") == "google")
        }
    }

    @Test("go through the same checks")
    func checks() throws {
        var payload = sample.standard
        payload["requestDetails", "requestPackageName"] = .text("com.evil.copy")
        #expect(try sample.judge(reply: .answered(PlayConsole.decoded(payload))).code == "package_mismatch")
    }

    @Test("are not judged while Google cannot be asked, and never accepted")
    func unavailable() throws {
        #expect(isUnavailable(try sample.judge(reply: .unavailable("no answer within 2 s")), "vendor_unavailable"))
        #expect(isUnavailable(try sample.judge(reply: nil), "vendor_not_asked"))
    }

    @Test(
        "are not judged by an answer that nobody can read",
        arguments: [
            "", "{}", "<html>", #"{"tokenPayloadExternal":{}}"#, #"{"tokenPayloadExternal":7}"#,
            #"{"tokenPayloadExternal":{"requestDetails":{}}}"#,
        ])
    func malformed(_ answer: String) throws {
        #expect(isUnavailable(try sample.judge(reply: .answered(Array(answer.utf8))), "vendor_answer_malformed"))
    }

    @Test("are not judged by an answer that is no strict JSON", arguments: [#""a":1,"a":1"#, #""a":"\ud800""#, #""\udc00":1"#])
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

    @Test("are not judged by an answer without end")
    func long() throws {
        let answer = PlayConsole.decoded(sample.standard) + [UInt8](repeating: 0x20, count: 10_000_000)
        #expect(isUnavailable(try sample.judge(reply: .answered(answer)), "vendor_answer_malformed"))
    }

    @Test(
        "are not asked about where they have not the form of a token, or another spelling of it",
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

    @Test("are refused where Google refuses them")
    func refused() throws {
        #expect(try sample.judge(reply: .refused(Rejection(.vendorRefused, "not a token"))).code == "vendor_refused")
    }

    @Test("are asked about only if no key of ours opens them, where both ways are allowed")
    func both() throws {
        var both = sample
        both.decoding = .localThenGoogle
        both.keys = [try sample.keySet()]
        let own = try sample.console.token(sample.classic)
        let foreign = try PlayConsole(seed: "other").token(sample.classic)
        let verifier = try both.verifier()
        #expect(try verifier.locate(both.evidence(own)) == .nothing)
        #expect(try verifier.locate(both.evidence(foreign)) == .vendor)
        #expect(try verifier.locate(both.evidence(sample.signedElsewhere)) == .vendor)
        #expect(try both.judge(token: own).isAccepted)
        #expect(try both.judge(reply: .answered(PlayConsole.decoded(sample.standard))).isAccepted)
        // A token that opens and is not signed by Google is an attack; Google is not asked to think otherwise.
        let forged = try sample.console.seal(PlayConsole(seed: "forger").sign(sample.classic.bytes))
        #expect(try verifier.locate(both.evidence(forged)) == .nothing)
        #expect(try both.judge(token: forged).code == "bad_signature")
    }

    @Test("are never believed where the app opens its tokens itself")
    func local() throws {
        var local = sample
        local.decoding = .local
        local.keys = [try sample.keySet()]
        #expect(try local.judge(reply: .answered(PlayConsole.decoded(sample.standard))).code == "malformed_token")
    }
}
