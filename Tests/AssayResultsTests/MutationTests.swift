import AssayCore
import AssaySigning
import AssayTesting
import Testing

@testable import AssayResults

@Suite("Mutated results")
struct MutationTests {
    private static let count = 10_000

    @Test("Of 10,000 mutations of a token of each shape none verifies", arguments: ResultShape.allCases)
    func mutated(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        let expected = Sample.expectation(shape)
        try Self.expectNone(
            of: try await Sample.token(shape, by: key, status: Sample.place),
            with: try await Sample.token(shape, by: key, nonce: []),
            isBinary: shape.isBinary
        ) { token in _ = try reader.read(token, expecting: expected) }
    }

    @Test("Of 10,000 mutations of a token by a key in memory none verifies", arguments: [ResultShape.earJWT, .earCWT])
    func mutatedShortLived(_ shape: ResultShape) async throws {
        let issuer = try CertifyingIssuer()
        let key = try issuer.shortLived()
        let reader = ResultReader(keys: try issuer.keySet())
        let expected = Sample.expectation(shape)
        try Self.expectNone(
            of: try await Sample.token(shape, by: key), with: try await Sample.token(shape, by: key, nonce: []),
            isBinary: shape.isBinary
        ) { token in _ = try reader.read(token, expecting: expected) }
    }

    @Test("Of 10,000 mutations of a signed answer to a look-up none verifies", arguments: [ResultShape.plainJWS, .plainCOSE])
    func mutatedLookup(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        var expected = Sample.expectation(shape)
        expected.content = .lookup
        func token(_ nonce: [UInt8]) async throws -> [UInt8] {
            let facts = LookupFacts(
                answeredAt: Sample.decidedAt, simulated: false, message: [0x08, 0x01], json: { Array("{\"found\":true}".utf8) })
            let request = ResultRequest(shape: shape, audience: Sample.audience, nonce: nonce)
            let draft = try Sample.composer().draft(request, facts, under: key, at: Sample.now)
            return draft.token(signature: try await key.signer.signRaw(draft.toBeSigned))
        }
        try Self.expectNone(of: try await token(Sample.nonce), with: try await token([]), isBinary: shape.isBinary) { token in
            _ = try reader.read(token, expecting: expected)
        }
    }

    @Test("Of 10,000 mutations of a status list none verifies", arguments: StatusListForm.allCases)
    func mutatedList(_ form: StatusListForm) async throws {
        let key = try Sample.key()
        let reader = StatusListReader(keys: try Sample.keySet(key))
        func token(_ status: UInt8) async throws -> [UInt8] {
            var list = StatusList(.two, count: 131_072)
            list[70_001] = status
            let claims = StatusListClaims(
                uri: Sample.place.uri, issuedAt: Sample.now, expiry: Sample.now.adding(milliseconds: 3_600_000), timeToLive: 15,
                width: .two, compressed: try found(list.compressed, "a list"))
            return try await StatusListSigner(key).sign(claims, as: form)
        }
        try Self.expectNone(of: try await token(2), with: try await token(1), isBinary: form == .cwt) { token in
            _ = try reader.read(token, of: Sample.place.uri, at: Sample.now)
        }
    }

    /// - Parameter other: a good token of the same kind, whose end takes the place of the first one's.
    private static func expectNone(
        of token: [UInt8], with other: [UInt8], isBinary: Bool, verifies read: ([UInt8]) throws -> Void
    ) throws {
        #expect(throws: Never.self) { try read(token) }
        #expect(throws: Never.self) { try read(other) }
        var numbers = SeededNumbers(seed: 0x5EED_0133)
        var tried = 0
        while tried < count {
            let mutation = mutation(of: token, with: other, isBinary: isBinary, &numbers)
            guard mutation != token, mutation != other else { continue }
            tried += 1
            guard (try? read(mutation)) == nil else {
                Issue.record("mutation \(tried) verifies: \(Hex.encode(mutation))")
                return
            }
        }
    }

    @Test(
        "A token of text has one spelling: no bit, sign or space can be added to it",
        arguments: ResultShape.allCases.filter { !$0.isBinary })
    func spellings(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        let token = try await Sample.token(shape, by: key)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // The last symbol of each part may have bits that belong to no byte: every other symbol in its place is tried.
        let ends = token.indices.filter { $0 + 1 == token.count || token[$0 + 1] == UInt8(ascii: ".") }
        #expect(ends.count == 3)
        for index in ends {
            for symbol in alphabet where symbol != token[index] {
                var changed = token
                changed[index] = symbol
                #expect((try? reader.read(changed, expecting: Sample.expectation(shape))) == nil)
            }
        }
        for addition in ["=", "==", "\n", " ", ".", "\0", "A"] {
            for changed in [token + Array(addition.utf8), Array(addition.utf8) + token] {
                #expect((try? reader.read(changed, expecting: Sample.expectation(shape))) == nil)
            }
        }
    }

    @Test("A token cut off anywhere, or with bytes behind it, is none", arguments: ResultShape.allCases)
    func prefixes(_ shape: ResultShape) async throws {
        let key = try Sample.key()
        let reader = ResultReader(keys: try Sample.keySet(key))
        let token = try await Sample.token(shape, by: key)
        for count in 0..<token.count {
            #expect((try? reader.read(Array(token.prefix(count)), expecting: Sample.expectation(shape))) == nil)
        }
        #expect((try? reader.read(token + [0], expecting: Sample.expectation(shape))) == nil)
    }

    private static func mutation(
        of token: [UInt8], with other: [UInt8], isBinary: Bool, _ numbers: inout SeededNumbers
    ) -> [UInt8] {
        var bytes = token
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            let index = Int.random(in: 0..<bytes.count, using: &numbers)
            let byte = UInt8.random(in: 0...255, using: &numbers)
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: bytes[index] = byte
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(byte, at: index)
            case 4: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &numbers))
            case 5: bytes.insert(contentsOf: bytes[index...].prefix(Int.random(in: 1...40, using: &numbers)), at: index)
            case 6 where !isBinary: bytes[index] ^= 0x20  // another case of a letter
            case 7 where index < other.count: bytes.replaceSubrange(index..., with: other[index...])
            default: bytes[index] &+= 1
            }
            if bytes.isEmpty { bytes = [byte] }
        }
        return bytes
    }
}
