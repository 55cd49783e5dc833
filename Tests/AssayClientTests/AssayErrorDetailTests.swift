import AssayClient
import Testing

@Suite("Errors of calls")
struct AssayErrorDetailTests {
    @Test("The id of a request that could not be judged is read from behind the sentence, and from nothing else")
    func requestID() {
        let id = String(repeating: "0123456789abcdef", count: 2)
        #expect(AssayError(.unavailable, "the ledger is unavailable (request \(id))").requestID == id)
        for message in [
            "", ")", " (request )", "the ledger (request \(id))!", "the ledger (request \(id.dropLast()))",
            "the ledger (verdict \(id))",
            "the ledger request \(id))", "the ledger (request \(id.replacing("a", with: "g")))", "\(id))",
        ] { #expect(AssayError(.unavailable, message).requestID.isEmpty, "\(message)") }
    }
}
