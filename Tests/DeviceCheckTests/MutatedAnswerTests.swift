import AssayCore
import AssayTesting
import AssayVendors
import DeviceCheck
import Testing

@Suite("Mutated answers of DeviceCheck")
struct MutatedAnswerTests {
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
            switch DeviceCheckAnswer(VendorAnswer(status: status, body: body)) {
            case .bits(let bits):
                #expect(status == 200)
                #expect(bits.claims["bits_set"] == .boolean(bits != .neverSet))
            case .tokenRefused: #expect(status == 400)
            case .askerRefused(let said), .nothing(let said): #expect(said == status)
            }
        }
    }
}
