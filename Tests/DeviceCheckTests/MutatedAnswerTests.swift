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

    /// A body with some bytes changed, removed or inserted.
    private func mutated(_ body: String, _ random: inout SeededNumbers) -> [UInt8] {
        var bytes = Array(body.utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let index = Int.random(in: 0...bytes.count, using: &random)
            let byte = UInt8.random(in: 0...255, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0 where index < bytes.count: bytes[index] = byte
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes.insert(byte, at: index)
            }
        }
        return bytes
    }

    @Test("Mutated answers are interpreted by their status, whatever their body")
    func statuses() {
        var random = SeededNumbers(seed: 11)
        for round in 0..<20_000 {
            let body = mutated(Self.bodies[round % Self.bodies.count], &random)
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
