import AssayAPI
import AssayCore
import AssayRPC
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP

@Suite("Answers to proxies")
struct AuthorizationAnswerTests {
    private typealias Samples = UploadSamples

    private func call(_ headers: [(name: String, value: String)]? = nil) throws -> AuthorizationCall {
        try SubrequestAuthorization.call(
            headers ?? Samples.headers(("assay-content-sha256", Hex.encode(Samples.digest))))
    }

    private func fields(_ answer: AuthorizationAnswer) -> [String: String] {
        Dictionary(answer.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0) and \($1)" })
    }

    private func problem(_ answer: AuthorizationAnswer) throws -> [String: String] {
        guard case .object(let object) = try JSONReader.parse(answer.body[...], code: .malformed) else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: object.members.map {
                (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value.text, as: UTF8.self))
            })
    }

    @Test("An accepted request is answered with the headers for the service, and no body")
    func accepted() throws {
        let answer = SubrequestAuthorization.answer(
            .success(
                try Samples.accepted {
                    $0.repeated = true; $0.simulated = true; $0.assurance = .secureElement
                }),
            to: try call())
        #expect(answer.outcome == .accepted)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(
            fields(answer) == [
                "assay-app": "photos", "assay-purpose": "assert", "assay-device-id": "dev_" + Hex.encode(Samples.device),
                "assay-assurance": "secure_element", "assay-request-id": Hex.encode(Samples.requestID),
                "assay-payload-declared": "true", "assay-payload-sha256": Hex.encode(Samples.digest),
                "assay-repeated": "true", "assay-simulated": "true",
            ])
    }

    @Test(
        "What a proxy's configuration states wrongly is 500 and for an operator: no client can repair it",
        arguments: [RPCError.unknownParameter, .bodyAsText])
    func proxyConfiguration(_ error: RPCError) throws {
        let answer = SubrequestAuthorization.answer(.failure(error), to: nil)
        #expect(answer.status == 500)
        let problem = try problem(answer)
        #expect(problem["reason"] == "\"\(error.reason)\"" && problem["retry"] == "\"contact_operator\"")
    }

    @Test("A verdict that does not bind the body that was asked for lets nothing through")
    func otherBinding() throws {
        let verdicts = [
            try Samples.accepted(nil), try Samples.accepted([UInt8](repeating: 1, count: 32)),
            try Samples.accepted { $0.bound.mode = .embedded }, try Samples.accepted { $0.clearBound() },
            try Samples.accepted { $0.assurance = .none }, try Samples.accepted { $0.assurance = .UNRECOGNIZED(9) },
            try Samples.accepted { $0.decision = .unspecified }, try Samples.accepted { $0.decision = .UNRECOGNIZED(3) }, [],
        ]
        for verdict in verdicts {
            let answer = SubrequestAuthorization.answer(.success(verdict), to: try call())
            #expect(answer.outcome == .failed(.internalError))
            #expect(answer.status == 500)
            #expect(fields(answer)["assay-reason"] == "verdict_not_understood")
        }
        let unasked = SubrequestAuthorization.answer(.success(try Samples.accepted()), to: nil)
        #expect(unasked.status == 500)
    }

    @Test("A rejection that the app does not enforce lets the request through, and says so, without the device")
    func notEnforced() throws {
        let verdict = try Samples.accepted {
            $0.assurance = .none
            $0.clearBound()
            $0.wouldReject = .with { ($0.reason, $0.check) = ("patch_level_too_old", "os_patch_level") }
        }
        let answer = SubrequestAuthorization.answer(.success(verdict), to: try call())
        #expect(answer.outcome == .accepted && answer.status == 200 && answer.body.isEmpty)
        let fields = fields(answer)
        #expect(fields["assay-would-reject"] == "patch_level_too_old" && fields["assay-assurance"] == "none")
        #expect(fields["assay-device-id"] == nil && fields["assay-payload-sha256"] == Hex.encode(Samples.digest))
        #expect(SubrequestAuthorization.answer(.success(verdict), to: nil).status == 500)
    }

    @Test(
        "A rejection is a 403 with its reason, for every class of what may be done next",
        arguments: [
            (.never, "never"), (.newChallenge, "new_challenge"), (.reAttest, "re_attest"), (.later, "later"),
            (.contactOperator, "contact_operator"), (.unspecified, "contact_operator"), (.UNRECOGNIZED(9), "contact_operator"),
        ] as [(Assay_V1_RetryClass, String)])
    func rejected(_ retry: Assay_V1_RetryClass, _ word: String) throws {
        let answer = SubrequestAuthorization.answer(.success(try Samples.rejected("bad_signature", retry)), to: try call())
        #expect(answer.outcome == .rejected)
        #expect(answer.status == 403)
        #expect(
            fields(answer) == [
                "content-type": "application/problem+json", "cache-control": "no-store", "assay-reason": "bad_signature",
                "assay-retry": word, "assay-request-id": Hex.encode(Samples.requestID),
            ])
        #expect(
            try problem(answer) == [
                "type": "\"about:blank\"", "title": "\"Forbidden\"", "status": "403", "detail": #""it is \"so\"""#,
                "reason": "\"bad_signature\"", "check": "\"signature\"", "retry": "\"\(word)\"",
                "requestId": "\"\(Hex.encode(Samples.requestID))\"",
            ])
    }

    @Test("Every reason code is one that a header can hold", arguments: ReasonCode.allCases)
    func reasons(_ code: ReasonCode) throws {
        let answer = SubrequestAuthorization.answer(.success(try Samples.rejected(code.rawValue, .never)), to: try call())
        #expect(fields(answer)["assay-reason"] == code.rawValue)
    }

    @Test("A reason that a header cannot hold is in the body only")
    func unprintableReason() throws {
        for reason in ["a b", "a\r\nset-cookie: x", String(repeating: "a", count: 65), "é"] {
            let answer = SubrequestAuthorization.answer(.success(try Samples.rejected(reason, .never)), to: try call())
            #expect(fields(answer)["assay-reason"] == nil)
            #expect(try problem(answer)["reason"] != nil)
        }
    }

    private static let statuses: [(RPCStatusCode, subrequest: Int, envoy: Int, retry: String)] = [
        (.ok, 500, 500, "contact_operator"), (.cancelled, 503, 503, "later"), (.unknown, 500, 500, "contact_operator"),
        (.invalidArgument, 403, 400, "never"), (.deadlineExceeded, 503, 503, "later"),
        (.notFound, 500, 500, "contact_operator"),
        (.alreadyExists, 500, 500, "contact_operator"), (.permissionDenied, 500, 500, "contact_operator"),
        (.resourceExhausted, 503, 503, "later"), (.failedPrecondition, 500, 500, "contact_operator"),
        (.aborted, 503, 503, "later"), (.outOfRange, 403, 400, "never"), (.unimplemented, 500, 500, "contact_operator"),
        (.internalError, 500, 500, "contact_operator"), (.unavailable, 503, 503, "later"),
        (.dataLoss, 500, 500, "contact_operator"), (.unauthenticated, 500, 500, "contact_operator"),
    ]

    @Test("An error of the call is a status of HTTP, and never lets a request through", arguments: statuses)
    func errors(_ code: RPCStatusCode, _ subrequest: Int, _ envoy: Int, _ retry: String) throws {
        let error = RPCError(code, "for people", reason: "a_reason")
        for (form, status) in [(AuthorizationAnswer.Form.subrequest, subrequest), (.envoy, envoy)] {
            for asked in [try call(), nil] {
                let answer = AuthorizationAnswer(.failure(error), to: asked, form)
                #expect(answer.outcome == .failed(code == .ok ? .internalError : code))
                #expect(answer.status == status)
                #expect(fields(answer)["assay-reason"] == "a_reason")
                #expect(fields(answer)["assay-retry"] == retry)
                #expect((fields(answer)["retry-after"] != nil) == (status == 503))
                // What the daemon says of itself is not for the client of a proxy.
                #expect(try problem(answer)["detail"]?.contains("for people") == (retry == "never"))
            }
        }
    }

    @Test("There is a status for every code")
    func allCodes() {
        #expect(Set(Self.statuses.map(\.0)) == Set(RPCStatusCode.allCases))
    }

    @Test("The time after which to try again is in whole seconds, and never none")
    func retryAfter() {
        for (milliseconds, seconds) in [
            (nil, "5"), (0, "5"), (1, "1"), (250, "1"), (1000, "1"), (1001, "2"), (.max, "4294968"),
        ] as [(UInt32?, String)] {
            let error = RPCError(.resourceExhausted, "overloaded", retryAfterMilliseconds: milliseconds)
            let answer = SubrequestAuthorization.answer(.failure(error), to: nil)
            #expect(answer.status == 503)
            #expect(fields(answer)["retry-after"] == seconds)
        }
    }

    @Test("A request that was not read is answered with the header at fault")
    func unread() throws {
        do throws(RPCError) {
            _ = try SubrequestAuthorization.call(Samples.headers(("assay-challenge", nil)))
            Issue.record("a request without a challenge was read")
        } catch {
            let answer = SubrequestAuthorization.answer(.failure(error), to: nil)
            #expect(answer.status == 403)
            #expect(try problem(answer)["detail"] == "\"the header assay-challenge is missing\"")
            #expect(fields(answer)["assay-reason"] == "header_missing")
        }
    }
}
