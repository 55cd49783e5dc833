import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP

@Suite("Envoy's external authorization")
struct EnvoyAuthorizationTests {
    private typealias Samples = UploadSamples

    private static let whole = (name: "x-envoy-auth-partial-body", value: "false")

    private func refusal(_ request: EnvoyRequest) -> String? {
        do throws(RPCError) {
            _ = try EnvoyAuthorization.call(request.serialized)
            return nil
        } catch {
            return "\(error.code) \(error.reason)"
        }
    }

    @Test("The digest is that of the body which Envoy passes on, however its headers are written", arguments: [false, true])
    func computedDigest(isRaw: Bool) throws {
        let call = try EnvoyAuthorization.call(
            EnvoyRequest(headers: Samples.headers + [Self.whole], isRaw: isRaw, rawBody: Samples.photo).serialized)
        let request = try VerificationRequest(serialized: call.request)
        #expect(request?.binding == .clientData(payloadHash: Samples.digest))
        #expect(request?.sourceAddress == SourceAddress(text: "192.0.2.7".utf8))
        #expect(call.payload == Samples.digest)
        #expect(!call.isPayloadDeclared)
    }

    @Test("A declared digest must be that of the body")
    func declaredAndComputed() {
        func headers(_ digest: [UInt8]) -> [(name: String, value: String)] {
            Samples.headers(("assay-content-sha256", Hex.encode(digest))) + [Self.whole]
        }
        #expect(refusal(EnvoyRequest(headers: headers(Samples.digest), rawBody: Samples.photo)) == nil)
        #expect(
            refusal(EnvoyRequest(headers: headers(Samples.digest), rawBody: Samples.photo + [0]))
                == "INVALID_ARGUMENT content_sha256_mismatch")
    }

    @Test("An empty body that is passed on is bound as the empty payload")
    func emptyBody() throws {
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: Samples.headers + [Self.whole]).serialized)
        #expect(call.payload == SHA256Sample.of([]))
        #expect(!call.isPayloadDeclared)
    }

    @Test("A part of a body is refused, also where its digest is declared")
    func partialBody() {
        for mark in ["true", "false, true", "", "TRUE"] {
            let headers = Samples.headers(
                ("x-envoy-auth-partial-body", mark), ("assay-content-sha256", Hex.encode(Samples.digest)))
            #expect(refusal(EnvoyRequest(headers: headers, rawBody: Samples.photo)) == "INVALID_ARGUMENT partial_body")
        }
        let both = Samples.headers + [Self.whole, (name: Self.whole.name, value: "true")]
        #expect(refusal(EnvoyRequest(headers: both, isRaw: true, rawBody: Samples.photo)) == "INVALID_ARGUMENT partial_body")
    }

    @Test("A body without Envoy's mark counts only in the length that the request states")
    func unmarkedBody() throws {
        let whole = EnvoyRequest(headers: Samples.headers + [("content-length", "7")], rawBody: Samples.photo)
        let call = try EnvoyAuthorization.call(whole.serialized)
        #expect(!call.isPayloadDeclared)
        for headers in [Samples.headers, Samples.headers + [("content-length", "8")]] {
            #expect(refusal(EnvoyRequest(headers: headers, rawBody: Samples.photo)) == "INVALID_ARGUMENT partial_body")
        }
    }

    @Test("A body that Envoy passes on as text is refused: bytes of it may have been replaced")
    func bodyAsText() {
        #expect(
            refusal(EnvoyRequest(headers: Samples.headers + [Self.whole], textBody: "a photo!"))
                == "FAILED_PRECONDITION body_as_text")
    }

    @Test("Where Envoy passes no body on, the declared digest counts, and is marked")
    func declaredDigest() throws {
        let length = (name: "content-length", value: "7")
        #expect(refusal(EnvoyRequest(headers: Samples.headers + [length])) == "INVALID_ARGUMENT header_missing")
        let headers = Samples.headers(("assay-content-sha256", Hex.encode(Samples.digest))) + [length]
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: headers).serialized)
        #expect(call.payload == Samples.digest)
        #expect(call.isPayloadDeclared)
    }

    @Test("What the filter's configuration states is believed in place of the client's headers")
    func contextExtensions() throws {
        let headers = Samples.headers(("assay-app", "weak"), ("assay-purpose", "register"), ("assay-subject", "bob"))
        let call = try EnvoyAuthorization.call(
            EnvoyRequest(
                headers: headers,
                extensions: [
                    ("assay-app", "photos"), ("assay-purpose", "assert"), ("assay-subject", "alice"), ("assay-context", "c"),
                    ("virtual_host", "uploads"),
                ]
            ).serialized)
        let request = try Assay_V1_VerifyRequest(serializedBytes: call.request)
        #expect(request.app == "photos")
        #expect(request.purpose == .assert)
        #expect(request.subject == Data("alice".utf8))
        #expect(request.context == Data("c".utf8))
        let emptied = try EnvoyAuthorization.call(
            EnvoyRequest(headers: headers, extensions: [("assay-subject", ""), ("assay-purpose", "")]).serialized)
        let remaining = try Assay_V1_VerifyRequest(serializedBytes: emptied.request)
        #expect(remaining.subject.isEmpty)
        #expect(remaining.purpose == .assert)
        for name in ["assay-evidence", "assay-challenge", "assay-content-sha256", "assay-ap"] {
            #expect(
                refusal(EnvoyRequest(headers: headers, extensions: [(name, "AQ==")])) == "FAILED_PRECONDITION unknown_parameter"
            )
        }
    }

    @Test("Of entries with one key the last counts, as in protobuf")
    func repeatedEntries() throws {
        let headers = [(name: "assay-app", value: "weak")] + Samples.headers
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: headers).serialized)
        #expect(call.app.text == "photos")
        #expect(refusal(EnvoyRequest(headers: headers, isRaw: true)) == "INVALID_ARGUMENT header_repeated")
    }

    @Test("A client at a socket has no address")
    func pipe() throws {
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: Samples.headers, address: nil).serialized)
        let request = try Assay_V1_VerifyRequest(serializedBytes: call.request)
        #expect(request.sourceAddress.isEmpty)
    }

    @Test("Bytes that are no CheckRequest are refused, and no prefix of one stops the process")
    func prefixes() {
        let whole = EnvoyRequest(
            headers: Samples.headers + [Self.whole], extensions: [("assay-app", "photos")], rawBody: Samples.photo
        ).serialized
        for count in 0..<whole.count {
            do throws(RPCError) {
                _ = try EnvoyAuthorization.call(Array(whole.prefix(count)))
                Issue.record("a prefix of \(count) bytes was read")
            } catch {
                #expect(error.code == .invalidArgument)
            }
        }
    }

    @Test("An accepted request goes on with the answer's headers, and without all that looks like them")
    func allowed() throws {
        let forged = [
            "assay-device-id", "assay-assurance", "assay-request-id", "assay-payload-declared", "assay-payload-sha256",
            "assay-repeated", "assay-simulated", "assay-anything", "assay_device_id", "assay-device_id", "Assay-Assurance",
        ]
        let headers = Samples.headers + [Self.whole] + forged.map { (name: $0, value: "forged") }
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: headers, rawBody: Samples.photo).serialized)
        let answer = try EnvoyResponse(EnvoyAuthorization.answer(.success(try Samples.accepted()), to: call))
        #expect(answer.code == 0)
        #expect(answer.isAllowed && !answer.isDenied)
        #expect(answer.overwritesAll)
        #expect(
            answer.fields == [
                "assay-app": "photos", "assay-purpose": "assert", "assay-device-id": "dev_" + Hex.encode(Samples.device),
                "assay-assurance": "hardware", "assay-request-id": Hex.encode(Samples.requestID),
                "assay-payload-declared": "false", "assay-payload-sha256": Hex.encode(Samples.digest),
                "assay-repeated": "false", "assay-simulated": "false",
            ])
        #expect(
            Set(answer.removed) == [
                "assay-challenge", "assay-evidence", "assay-context", "assay-subject", "assay-content-sha256",
                "assay-reason", "assay-retry", "assay-would-reject", "assay-anything", "assay_device_id", "assay-device_id",
            ])
        for name in forged { #expect(answer.fields[name.lowercased()] != nil || answer.removed.contains(name)) }
    }

    @Test("A header that an accepted answer does not set is taken away from the client's request")
    func unsetHeaders() throws {
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: Samples.headers).serialized)
        let verdict = try Samples.accepted(nil) { $0.deviceID = Data() }
        let answer = try EnvoyResponse(EnvoyAuthorization.answer(.success(verdict), to: call))
        #expect(answer.isAllowed)
        #expect(answer.fields["assay-payload-declared"] == "true")
        for name in ["assay-device-id", "assay-payload-sha256"] {
            #expect(answer.fields[name] == nil)
            #expect(answer.removed.contains(name))
        }
    }

    @Test("A refused request is denied with a status and a problem, also where there is no verdict")
    func denied() throws {
        let call = try EnvoyAuthorization.call(EnvoyRequest(headers: Samples.headers).serialized)
        let outcomes: [(Result<[UInt8], RPCError>, Int, Int)] = [
            (.success(try Samples.rejected("bad_signature", .never)), 7, 403), (.failure(.undecodableMessage), 3, 400),
            (.failure(.overloaded), 8, 503), (.failure(.goingAway), 14, 503), (.failure(.credentialRefused), 16, 500),
            (.failure(RPCError(.ok, "none")), 13, 500), (.success([]), 13, 500), (.success([0xFF]), 13, 500),
        ]
        for (outcome, code, status) in outcomes {
            for asked in [call, nil] where asked != nil || code != 7 {
                let answer = try EnvoyResponse(EnvoyAuthorization.answer(outcome, to: asked))
                #expect(answer.code == code)
                #expect(answer.isDenied && !answer.isAllowed)
                #expect(answer.status == status)
                #expect(answer.fields["content-type"] == "application/problem+json")
                #expect(answer.body.contains("\"status\":\(status)"))
            }
        }
    }
}
