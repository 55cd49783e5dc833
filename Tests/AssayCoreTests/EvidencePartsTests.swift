import AssayCore
import Testing

@Suite("Evidence in several pieces")
struct EvidencePartsTests {
    private func parts(_ body: [UInt8]) -> [[UInt8]]? {
        Evidence(format: .keyAttestation, keyID: [], body: body).parts.map { $0.map(Array.init) }
    }

    @Test(
        "comes apart into what was joined",
        arguments: [[], [[]], [[1]], [[1, 2], [], [3]], [[UInt8](repeating: 7, count: 5000)]])
    func roundTrip(_ pieces: [[UInt8]]) { #expect(parts(Evidence.join(pieces)) == pieces) }

    @Test("has each piece after its length, big-endian")
    func layout() { #expect(Evidence.join([[0xAA, 0xBB], [0xCC]]) == [0, 0, 0, 2, 0xAA, 0xBB, 0, 0, 0, 1, 0xCC]) }

    @Test(
        "is none where bytes are missing, left over, or lengths lie",
        arguments: [
            [0], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 2, 1], [0, 0, 0, 1, 1, 9], [0xFF, 0xFF, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func malformed(_ body: [UInt8]) { #expect(parts(body) == nil) }

    @Test("has at most as many pieces as are taken apart")
    func limit() {
        let most = [[UInt8]](repeating: [1], count: Evidence.partLimit)
        #expect(parts(Evidence.join(most)) == most)
        #expect(parts(Evidence.join(most + [[1]])) == nil)
    }
}
