import AssayRPC
import Testing

@testable import AssayHTTP

@Suite("Connect's codes")
struct ConnectCodeTests {
    @Test(
        "each code has Connect's name and HTTP status",
        arguments: [
            (RPCStatusCode.cancelled, "canceled", 499), (.unknown, "unknown", 500), (.invalidArgument, "invalid_argument", 400),
            (.deadlineExceeded, "deadline_exceeded", 504), (.notFound, "not_found", 404),
            (.alreadyExists, "already_exists", 409), (.permissionDenied, "permission_denied", 403),
            (.resourceExhausted, "resource_exhausted", 429), (.failedPrecondition, "failed_precondition", 400),
            (.aborted, "aborted", 409), (.outOfRange, "out_of_range", 400), (.unimplemented, "unimplemented", 501),
            (.internalError, "internal", 500), (.unavailable, "unavailable", 503), (.dataLoss, "data_loss", 500),
            (.unauthenticated, "unauthenticated", 401),
        ] as [(RPCStatusCode, String, Int)])
    func codes(_ code: RPCStatusCode, _ name: String, _ status: Int) {
        #expect(code.connectName == name)
        #expect(code.httpStatus == status)
    }

    @Test("only OK is 200, and no two codes share a name but OK and UNKNOWN")
    func table() {
        let errors = RPCStatusCode.allCases.filter { $0 != .ok }
        #expect(errors.allSatisfy { (400..<600).contains($0.httpStatus) } && RPCStatusCode.ok.httpStatus == 200)
        #expect(Set(errors.map(\.connectName)).count == errors.count)
        #expect(RPCStatusCode.ok.connectName == "unknown")
    }
}
