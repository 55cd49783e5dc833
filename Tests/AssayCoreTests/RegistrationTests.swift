import AssayCore
import Testing

@Suite("Registration")
struct RegistrationTests {
    private static func registration(_ claims: Claims) -> Registration {
        Registration(
            format: EvidenceFormat(rawValue: "example"), keyID: [1], publicKey: [2], environment: "", anchor: [3],
            claims: claims,
            chainSerials: [], receipt: [], simulated: false)
    }

    @Test("What a verifier reads in the claims of a registration is read once")
    func facts() {
        let registration = Self.registration(Claims([.init(name: "number", value: .integer(5))]))
        var reads = 0
        func number(of registration: Registration) -> Int64? {
            registration.facts { claims -> Number? in
                reads += 1
                return claims.integer("number").map(Number.init)
            }?.value
        }
        for _ in 0..<3 { #expect(number(of: registration) == 5) }
        #expect(reads == 1)
        #expect(number(of: registration.replacing(receipt: [4])) == 5)
        #expect(reads == 2, "another registration has facts of its own")
    }

    @Test("Claims of a registration that cannot be read are no facts, and facts of another type are not given out")
    func unreadable() {
        let registration = Self.registration(Claims())
        for _ in 0..<2 { #expect(registration.facts { $0.integer("number").map(Number.init) } == nil) }
        #expect(registration.facts { _ in Number(1) }?.value == 1)
        #expect(registration.facts { _ in Words("text") }?.value == "text")
        #expect(registration.facts { _ in Number(2) }?.value == 1)
    }

    private final class Number: Sendable {
        let value: Int64
        init(_ value: Int64) { self.value = value }
    }

    private final class Words: Sendable {
        let value: String
        init(_ value: String) { self.value = value }
    }
}
