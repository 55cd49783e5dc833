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
        let (token, other) = (
            try await Sample.token(shape, by: key, status: Sample.place), try await Sample.token(shape, by: key, nonce: [])
        )
        let expected = Sample.expectation(shape)
        #expect(throws: Never.self) { try reader.read(token, expecting: expected) }
        var numbers = SeededNumbers(seed: 0x5EED_0133)
        var tried = 0
        while tried < Self.count {
            let mutation = Self.mutation(of: token, with: other, isBinary: shape.isBinary, &numbers)
            guard mutation != token, mutation != other else { continue }
            tried += 1
            guard (try? reader.read(mutation, expecting: expected)) == nil else {
                Issue.record("mutation \(tried) of \(shape.rawValue) verifies: \(Hex.encode(mutation))")
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
