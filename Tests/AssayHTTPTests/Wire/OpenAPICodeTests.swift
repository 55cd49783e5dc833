import AssayRPC
import Testing

@testable import AssayAPI

@Suite("Connect's codes in the OpenAPI document")
struct OpenAPICodeTests {
    @Test("are those that answers have, each with its status")
    func codes() {
        let answered = RPCStatusCode.allCases.filter { $0 != .ok }.map { "\($0.connectName) \($0.httpStatus)" }
        let documented = OpenAPIErrors.codes.map { "\($0.name) \($0.status)" }
        #expect(Set(documented) == Set(answered))
        #expect(OpenAPIErrors.codes.count == answered.count)
    }
}
