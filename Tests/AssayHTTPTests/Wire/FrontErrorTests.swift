import AssayAPI
import AssayCore
import AssayRPC
import Testing

@testable import AssayHTTP

@Suite("Errors of the front over HTTP")
struct FrontErrorTests {
    static let all: [RPCError] = [
        .messageTooLarge, .undecodableEnvelope, .undecodableText, .unknownCompression, .notGzip, .badTimeout, .notOneMessage,
        .tooManyMessages, .replyTooLarge,
    ]

    @Test("each error has its code and its reason, which never change")
    func reasons() {
        let table = Self.all.map { "\($0.code) \($0.reason)" }
        #expect(
            table == [
                "RESOURCE_EXHAUSTED message_too_large", "INVALID_ARGUMENT undecodable_envelope",
                "INVALID_ARGUMENT undecodable_text", "UNIMPLEMENTED unknown_compression", "INVALID_ARGUMENT not_gzip",
                "INVALID_ARGUMENT bad_timeout", "INVALID_ARGUMENT not_one_message", "INVALID_ARGUMENT too_many_messages",
                "INTERNAL reply_too_large",
            ])
    }

    @Test("a caller is told to try again only where a later try can succeed")
    func retries() {
        #expect(Self.all.dropLast().allSatisfy { $0.retry == .never })
        #expect(RPCError.replyTooLarge.retry == .contactOperator)
        let later: [RPCError] = [.overloaded, .tooManyCalls, .goingAway, .drained, .cancelled, .deadlineExceeded]
        #expect(later.allSatisfy { $0.retry == .later })
        let operators: [RPCError] = [.credentialRefused, .unknownMethod("/a/b"), .unanswered, .unserialisable]
        #expect(operators.allSatisfy { $0.retry == .contactOperator })
        #expect(RPCError.undecodableMessage.retry == .never)
        #expect(RPCError(.resourceExhausted, "", reason: "rate_limited").retry == .later)
    }

    @Test("each code has a retry class, by its name in gRPC")
    func retryOfCodes() {
        let classes = Dictionary(grouping: RPCStatusCode.allCases) { RetryClass(ofCallWith: $0.description, reason: "") }
        #expect(
            classes == [
                .later: [.ok, .cancelled, .unknown, .deadlineExceeded, .resourceExhausted, .aborted, .unavailable],
                .contactOperator: [
                    .permissionDenied, .failedPrecondition, .unimplemented, .internalError, .dataLoss, .unauthenticated,
                ],
                .never: [.invalidArgument, .notFound, .alreadyExists, .outOfRange],
            ])
        #expect(RetryClass(ofCallWith: "unavailable", reason: "") == .contactOperator)
    }
}
