import AssayCore
import AssayTesting
import Testing

@testable import AssayVendors

@Suite("Mutated answers")
struct MutatedAnswerTests {
    private static let now = Timestamp(unixSeconds: 1_750_000_000)
    private static let bodies = [
        #"{"bit0":true,"bit1":false,"last_update_time":"2024-05"}"#, "Failed to find bit state",
        "Missing or badly formatted device token", "Incorrect Environment", " QUJDREVGR0hJSktMTU5PUA==\n",
    ]

    @Test("Mutated answers are interpreted by their status, whatever their body")
    func statuses() {
        var random = SeededNumbers(seed: 11)
        for round in 0..<20_000 {
            let body = random.mutated(Self.bodies[round % Self.bodies.count])
            let status = [200, 304, 400, 401, 403, 404, 429, 500, 302].randomElement(using: &random) ?? 200
            let answer = VendorAnswer(status: status, body: body)
            switch ReceiptAnswer(answer, at: Self.now) {
            case .exchanged(let receipt): #expect(status == 200 && !receipt.isEmpty)
            case .tooEarly: #expect(status == 304)
            case .wrongEnvironment: #expect(status == 400)
            case .unauthorized: #expect(status == 401)
            case .noData: #expect(status == 404)
            case .refused(let said): #expect(said == status && (status == 400 || status == 403))
            case .later(let said, _): #expect(said == status && (status == 429 || status == 500))
            case .unreadable(let said): #expect(said == status && status != 304 && status != 401)
            }
        }
    }

    @Test("Dates that are nearly valid are read as dates or as nothing")
    func dates() {
        var random = SeededNumbers(seed: 12)
        for _ in 0..<20_000 {
            var headers = VendorAnswer.Headers()
            headers.retryAfter = String(decoding: random.mutated("Sun, 06 Nov 1994 08:49:37 GMT"), as: UTF8.self)
            let wait = headers.retryAfterMilliseconds(at: Timestamp(unixSeconds: 0))
            #expect(wait.map { $0 >= 0 } ?? true)
        }
    }
}
