import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP

@Suite("Requests of proxies as calls")
struct AuthorizationCallTests {
    private typealias Samples = UploadSamples

    private func message(_ call: AuthorizationCall) throws -> Assay_V1_VerifyRequest {
        try Assay_V1_VerifyRequest(serializedBytes: call.request)
    }

    /// The reason for which a sub-request is refused; `nil`: it is not.
    private func refusal(_ headers: [(name: String, value: String)], query: String = "") -> String? {
        do throws(RPCError) {
            _ = try SubrequestAuthorization.call(headers, query: query)
            return nil
        } catch {
            return "\(error.code) \(error.reason)"
        }
    }

    @Test("The headers say what the method's request says, and the method reads it")
    func allFields() throws {
        let headers = Samples.headers(
            ("assay-purpose", "register"), ("assay-context", "session 9"), ("assay-subject", "alice"),
            ("idempotency-key", "upload-1"), ("assay-content-sha256", Hex.encode(Samples.digest)))
        let call = try SubrequestAuthorization.call(headers, sourceAddress: "192.0.2.7")
        let request = try VerificationRequest(serialized: call.request)
        let read = try #require(request)
        #expect(read.app.text == "photos")
        #expect(read.purpose == .register)
        #expect(read.challenge == Samples.challenge)
        #expect(read.context == Array("session 9".utf8))
        #expect(read.subject == Array("alice".utf8))
        #expect(read.idempotencyKey == Array("upload-1".utf8))
        #expect(read.binding == .clientData(payloadHash: Samples.digest))
        #expect(read.sourceAddress == SourceAddress(text: "192.0.2.7".utf8))
        #expect(read.evidence.map(\.format) == [.keySignature])
        #expect(read.evidence.first?.keyID == [0, 1, 2, 3])
        #expect(call.payload == Samples.digest)
        #expect(call.isPayloadDeclared)
    }

    @Test("The least that a request needs is app, challenge and evidence, and its purpose is to assert")
    func leastFields() throws {
        let call = try SubrequestAuthorization.call(Samples.headers)
        let request = try message(call)
        #expect(request.purpose == .assert)
        #expect(request.binding.clientData.payloadSha256.isEmpty)
        #expect(call.payload == nil)
        #expect(call.isPayloadDeclared)
    }

    @Test(
        "A header that is missing, twice, too long or unreadable is refused by its name",
        arguments: [
            ("assay-app", nil, "header_missing"), ("assay-app", "", "header_missing"), ("assay-app", " \t", "header_missing"),
            ("assay-app", "Photos", "header_malformed"), ("assay-app", "a,b", "header_malformed"),
            ("assay-app", String(repeating: "a", count: 65), "header_too_long"),
            ("assay-purpose", "ASSERT", "header_malformed"), ("assay-purpose", "provision", "header_malformed"),
            ("assay-purpose", "assert,register", "header_malformed"),
            ("assay-challenge", nil, "header_missing"), ("assay-challenge", "AQ=", "header_malformed"),
            ("assay-challenge", "AQ==,AQ==", "header_malformed"),
            ("assay-challenge", String(repeating: "A", count: 132), "header_too_long"),
            ("assay-context", String(repeating: "c", count: 65), "header_too_long"),
            ("assay-context", "caf\u{E9}", "header_malformed"),
            ("assay-evidence", nil, "header_missing"), ("assay-evidence", "AQ==", "header_malformed"),
            ("assay-evidence", "[]", "header_malformed"), ("assay-evidence", #"{"unknown":{}}"#, "header_malformed"),
            ("assay-evidence", #"{},"#, "header_malformed"),
            ("assay-evidence", #"{"keySignature":{"keyId":"?"}}"#, "header_malformed"),
            ("assay-content-sha256", "00", "header_malformed"),
            ("assay-content-sha256", String(repeating: "0", count: 63), "header_malformed"),
            ("assay-content-sha256", String(repeating: "g", count: 64), "header_malformed"),
            ("assay-content-sha256", String(repeating: "A", count: 129), "header_too_long"),
            ("assay-subject", String(repeating: "s", count: 257), "header_too_long"),
            ("assay-subject", "a\u{7F}", "header_malformed"),
            ("idempotency-key", String(repeating: "k", count: 65), "header_too_long"),
            ("idempotency-key", "a,b", "header_malformed"),
        ] as [(String, String?, String)])
    func refusals(_ name: String, _ value: String?, _ reason: String) throws {
        do throws(RPCError) {
            _ = try SubrequestAuthorization.call(Samples.headers((name, value)))
            Issue.record("the header was read")
        } catch {
            #expect(error.code == .invalidArgument)
            #expect(error.reason == reason)
            #expect(error.message.contains(name))
        }
    }

    @Test("Evidence is bounded, also in several headers")
    func longEvidence() {
        let half = "{" + String(repeating: " ", count: AuthorizationHeader.evidence.limit / 2) + "}"
        #expect(refusal(Samples.headers(("assay-evidence", half))) == nil)
        #expect(
            refusal(Samples.headers(("assay-evidence", half), ("assay-evidence", half))) == "INVALID_ARGUMENT header_too_long")
    }

    @Test(
        "Each header is given at most once, but for evidence, of which every piece counts",
        arguments: AuthorizationHeader.allCases)
    func twice(_ header: AuthorizationHeader) throws {
        let values: [AuthorizationHeader: String] = [
            .app: "photos", .purpose: "assert", .challenge: "AQ==", .context: "c", .evidence: Samples.evidence,
            .contentSHA256: Hex.encode(Samples.digest), .subject: "alice", .idempotencyKey: "k",
        ]
        let value = try #require(values[header])
        let headers =
            Samples.headers((header.rawValue, nil)) + [(header.rawValue, value), (header.rawValue.uppercased(), value)]
        if header == .evidence {
            let request = try message(try SubrequestAuthorization.call(headers))
            #expect(request.evidence.count == 2)
        } else {
            #expect(refusal(headers) == "INVALID_ARGUMENT header_repeated")
        }
    }

    @Test("Pieces of evidence may stand in one header, with commas between them")
    func severalPieces() throws {
        let token = #"{"playIntegrityToken":{"token":"a.b"}}"#
        let call = try SubrequestAuthorization.call(Samples.headers(("assay-evidence", "\(Samples.evidence) , \(token)")))
        let request = try message(call)
        #expect(request.evidence.count == 2)
        #expect(request.evidence.last?.playIntegrityToken.token == "a.b")
    }

    @Test("Evidence that ends its list names no other field of the request")
    func injectedField() {
        for text in [
            #"{}],"app":"weak","evidence":[{}"#, #"{}],"subject":"Ym9i","context":["#, #"{}]}"#,
            #"{}],"binding":{"callerOwned":{"clientDataHash":"AQ=="}}}"#,
        ] { #expect(refusal(Samples.headers(("assay-evidence", text))) == "INVALID_ARGUMENT header_malformed") }
    }

    @Test("A digest is read as hexadecimal digits, Base64 and base64url")
    func digestForms() throws {
        for text in [
            Hex.encode(Samples.digest), Hex.encode(Samples.digest).uppercased(), Base64.standard.encode(Samples.digest),
            Base64.url.encode(Samples.digest),
        ] {
            let call = try SubrequestAuthorization.call(Samples.headers(("assay-content-sha256", text)))
            #expect(call.payload == Samples.digest)
        }
    }

    @Test("A request that has a body, which is not seen, must declare its digest")
    func undeclaredBody() {
        for body in [("content-length", "7"), ("transfer-encoding", "chunked")] {
            let headers = Samples.headers + [body]
            #expect(refusal(headers) == "INVALID_ARGUMENT header_missing")
            #expect(refusal(headers + [("assay-content-sha256", Hex.encode(Samples.digest))]) == nil)
        }
        #expect(refusal(Samples.headers + [("content-length", "0")]) == nil)
    }

    @Test("What the proxy's configuration says in the query is believed in place of the client's headers")
    func query() throws {
        let headers = Samples.headers(("assay-app", "weak"), ("assay-purpose", "register"))
        let call = try SubrequestAuthorization.call(headers, query: "app=photos&purpose=assert")
        #expect(call.app.text == "photos")
        #expect(call.purpose == .assert)
        let request = try message(call)
        #expect(request.app == "photos")
        #expect(request.purpose == .assert)
    }

    @Test(
        "A query that the proxy's configuration cannot have meant is refused",
        arguments: ["app", "app=a&app=b", "subject=bob", "app=photos&album=1", "challenge=AQ", "x=1", "&app=photos&app=photos"])
    func badQuery(_ query: String) {
        #expect(refusal(Samples.headers, query: query) == "FAILED_PRECONDITION unknown_parameter")
    }

    @Test("An app in a query is held to its form")
    func badQueryValue() {
        #expect(refusal(Samples.headers, query: "app=Photos%20") == "INVALID_ARGUMENT header_malformed")
        #expect(refusal(Samples.headers, query: "app=") == "INVALID_ARGUMENT header_missing")
    }

    @Test("An address that cannot be counted is left out")
    func sourceAddresses() throws {
        for (address, sent) in [
            ("192.0.2.7", "192.0.2.7"), ("2001:db8::1", "2001:db8:0:0::"), ("unix:", ""), ("fe80::1%eth0", ""),
        ] {
            let call = try SubrequestAuthorization.call(Samples.headers, sourceAddress: address)
            let request = try message(call)
            #expect(request.sourceAddress == sent)
        }
    }

    @Test("More headers than any proxy lets through are refused")
    func tooManyHeaders() {
        let many = (0..<AuthorizationHeaders.fieldLimit).map { (name: "x-\($0)", value: "") }
        #expect(refusal(Samples.headers + many) == "INVALID_ARGUMENT too_many_headers")
    }
}
