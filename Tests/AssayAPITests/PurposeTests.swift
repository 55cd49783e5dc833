import AssayAPI
import AssayCore
import Testing

@Suite("Purpose")
struct PurposeTests {
    @Test("comes back from its message as it was", arguments: Purpose.allCases)
    func roundTrip(_ purpose: Purpose) throws {
        #expect(try Purpose(purpose.message) == purpose)
        #expect(purpose.message.rawValue == Int(purpose.rawValue), "byte and wire have one number")
    }

    @Test("must be set to one that is known", arguments: [Assay_V1_Purpose.unspecified, .UNRECOGNIZED(5), .UNRECOGNIZED(-1)])
    func unknown(_ message: Assay_V1_Purpose) throws {
        #expect(throws: RequestError("purpose", "must be set")) { try Purpose(message) }
        #expect(try problem { $0.purpose = message }?.field == "purpose")
    }
}
