import AssayCore
import Testing

@testable import AssayResults

@Suite("JWK Sets")
struct JSONWebKeySetTests {
    private static let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private static let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private static let members = "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(y)\""

    private func keys(_ members: String...) throws(ResultFault) -> JSONWebKeySet {
        try JSONWebKeySet(parsing: Array("{\"keys\":[\(members.map { "{\($0)}" }.joined(separator: ","))]}".utf8))
    }

    @Test("Keys are found by their identifier, those of other kinds and for other uses are passed over")
    func found() throws {
        let set = try keys(
            "\(Self.members),\"kid\":\"a\",\"alg\":\"ES256\",\"use\":\"sig\"",
            "\"kty\":\"RSA\",\"kid\":\"b\",\"n\":\"AQAB\",\"e\":\"AQAB\"",
            "\(Self.members),\"kid\":\"c\",\"use\":\"enc\"",
            "\"kty\":\"OKP\",\"crv\":\"X25519\",\"kid\":\"d\",\"x\":\"\(Self.x)\"")
        #expect(set.key("a")?.curve == .p256)
        for identifier in ["b", "c", "d", "A", ""] { #expect(set.key(identifier) == nil) }
    }

    @Test("A set with a secret key, a key twice, or a key that is not what it says is refused, with the place")
    func refused() {
        let cases: [(String, ResultFault.Code, String)] = [
            ("\(Self.members),\"kid\":\"a\",\"d\":\"\(Self.x)\"", .malformed, "keys[0].d"),
            ("\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"AAAA\"", .malformed, "keys[0].k"),
            ("\(Self.members),\"kid\":\"a\",\"alg\":\"HS256\"", .wrongAlgorithm, "keys[0].alg"),
            ("\(Self.members)", .wrongClaim, "keys[0].kid"),
            ("\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"a\",\"x\":\"AA\",\"y\":\"\(Self.y)\"", .malformed, "keys[0].x"),
        ]
        for (member, code, place) in cases {
            do throws(ResultFault) {
                _ = try keys(member)
                Issue.record("\(member) was read")
            } catch {
                #expect(error.code == code && error.place == place, "\(error)")
            }
        }
        #expect(throws: ResultFault(.malformed, "keys[1].kid", "is that of another key too")) {
            try keys("\(Self.members),\"kid\":\"a\"", "\(Self.members),\"kid\":\"a\"")
        }
        for text in ["", "[]", "{}", "{\"keys\":{}}", "{\"keys\":[1]}", "{\"keys\":[],\"keys\":[]}"] {
            #expect(throws: ResultFault.self) { try JSONWebKeySet(parsing: Array(text.utf8)) }
        }
    }

    @Test("A point that is not on its curve verifies nothing")
    func offCurve() throws {
        let key = try Self.offCurve()
        #expect(!key.isValid([UInt8](repeating: 1, count: 64), over: [1]))
    }

    private static func offCurve() throws -> JSONWebKey {
        let coordinates = [UInt8](repeating: 1, count: 64)
        guard let key = JSONWebKey(.p256, coordinates: coordinates) else { throw Missing(what: "a key") }
        return key
    }
}
