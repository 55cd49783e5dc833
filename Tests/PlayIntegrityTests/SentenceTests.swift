import AssayCore
import AssaySimulator
import Crypto
import PlayIntegrity
import Testing

/// What a person is told of a token that is refused.
@Suite("Sentences about a token")
struct SentenceTests {
    let sample: SampleToken
    init() throws { sample = try SampleToken() }

    private func detail(_ check: String, _ payload: JSONDraft) throws -> String {
        let failure = try #require(try sample.judge(payload).failure)
        #expect(failure.check == check)
        return failure.detail
    }

    private func signed(_ digests: [String]?) throws -> String {
        var payload = sample.standard
        payload["appIntegrity", "certificateSha256Digest"] = digests.map { .texts($0) }
        return try detail("signer", payload)
    }

    @Test("A nonce or a request hash that is not base64url is described by its spelling, and no digest of it is shown")
    func spelling() throws {
        let nothing = Hex.short(SHA256.bytes(of: []))
        let data = [UInt8](repeating: 0xFB, count: 20)
        for (text, fault) in [
            (Base64.standard.encode(data), "it has '+' or '/'"), (Base64.url.encode(data) + "\n", "it has a line break"),
            (Base64.url.encode(data) + "==", "its padding is wrong"), ("", "the nonce is empty"),
        ] {
            var payload = sample.classic
            payload["requestDetails", "nonce"] = .text(text)
            let detail = try detail("request_binding", payload)
            #expect(detail.contains(fault) && !detail.contains(nothing), "\(detail)")
        }
        for (text, fault) in [
            (Base64.standard.encode(data), "it has '+' or '/'"), (Base64.url.encode(data) + " ", "it has white space"),
            ("", "no bytes"),
        ] {
            var payload = sample.standard
            payload["requestDetails", "requestHash"] = .text(text)
            let detail = try detail("request_binding", payload)
            #expect(detail.contains(fault) && !detail.contains("is ,"), "\(detail)")
        }
    }

    @Test("A nonce or a request hash over other bytes names the app's slip")
    func slips() throws {
        let (data, hash) = (sample.binding.clientData, sample.binding.clientDataHash)
        for (nonce, words) in [
            (Base64.url.encode(hash), "the app passed the hash of the client data, not the client data"),
            (Hex.encode(data), "the app passed the hexadecimal text of the client data"),
            (Base64.url.encode(Array(Base64.url.encode(data).utf8)), "the app passed the Base64 text of the client data"),
            (Base64.url.encode([UInt8](repeating: 3, count: 54)), "the app passed the challenge alone"),
        ] {
            var payload = sample.classic
            payload["requestDetails", "nonce"] = .text(nonce)
            #expect(try detail("request_binding", payload).contains(": \(words)"), "\(words)")
        }
        for (text, words) in [
            (Base64.url.encode(data), "the app passed the client data without hashing it"),
            (Hex.encode(hash), "the app passed the hexadecimal text of the hash of the client data"),
            (Base64.url.encode(SHA256.bytes(of: hash)), "the app hashed the client data twice"),
            (Base64.url.encode(SHA256.bytes(of: Array(Hex.encode(data).utf8))), "the app hashed the hexadecimal text"),
        ] {
            var payload = sample.standard
            payload["requestDetails", "requestHash"] = .text(text)
            #expect(try detail("request_binding", payload).contains(": \(words)"), "\(words)")
        }
    }

    @Test("A signer's digest in another spelling is described by it, and a token without digests says so")
    func signers() throws {
        let (good, short) = (sample.signer, Hex.short(sample.signer))
        for (digests, words) in [
            ([Base64.standard.encode([UInt8](repeating: 0xFF, count: 32))], "it has '+' or '/'"),
            ([Base64.url.encode(good) + "="], "it has padding"), ([Hex.encode(good)], "it is hexadecimal"),
            ([Base64.url.encode(good.dropLast())], "it has 31 bytes"), ([], "list of the package's signers is empty"),
        ] {
            let detail = try signed(digests)
            #expect(detail.contains(words) && !detail.contains("signed by none"), "\(detail)")
            #expect(detail.hasSuffix("allowed: \(short)"))
        }
        #expect(try signed(nil).contains("does not say who signs"))
        let other = [UInt8](repeating: 1, count: 32)
        #expect(try signed([Base64.url.encode(other)]).hasPrefix("the package is signed by \(Hex.short(other)), allowed"))
        var near = good
        near[31] ^= 1
        #expect(
            try signed([Base64.url.encode(near)])
                == "the package is signed by \(Hex.encode(near)), allowed: \(Hex.encode(good))")
        #expect(try signed([Base64.url.encode(other), "+"]).contains("and another digest is not base64url"))
    }

    @Test("A value that Google states is named, not taken for one that was not evaluated")
    func statements() throws {
        var payload = sample.standard
        payload["appIntegrity", "appRecognitionVerdict"] = .text("FUTURE_VERDICT")
        #expect(try detail("app_verdict", payload).contains("\"FUTURE_VERDICT\""))
        payload = sample.standard
        payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_FUTURE_INTEGRITY"])
        #expect(try detail("device_verdict", payload).contains("\"MEETS_FUTURE_INTEGRITY\""))
        payload = sample.standard
        payload["accountDetails", "appLicensingVerdict"] = .text("FUTURE_LICENCE")
        let note = try sample.judge(payload).findings.first { $0.check == "licensing" && $0.outcome == .note }
        #expect(note?.code == "other" && note?.detail == "the token says \"FUTURE_LICENCE\", which counts as OTHER")
    }
}
