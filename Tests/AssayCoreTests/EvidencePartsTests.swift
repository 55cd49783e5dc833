import AssayCore
import Testing

@Suite("Evidence in several parts")
struct EvidencePartsTests {
    private func parts(_ body: [UInt8]) -> [[UInt8]]? {
        Evidence(format: .keyAttestation, keyID: [], body: body).parts.map { $0.map(Array.init) }
    }

    @Test(
        "Joined parts are split again unchanged",
        arguments: [[], [[]], [[1]], [[1, 2], [], [3]], [[UInt8](repeating: 7, count: 5000)]])
    func roundTrip(_ pieces: [[UInt8]]) { #expect(parts(Evidence.join(pieces)) == pieces) }

    @Test("Each part follows its length, big-endian")
    func layout() { #expect(Evidence.join([[0xAA, 0xBB], [0xCC]]) == [0, 0, 0, 2, 0xAA, 0xBB, 0, 0, 0, 1, 0xCC]) }

    @Test(
        "Missing bytes, surplus bytes and wrong lengths are refused",
        arguments: [
            [0], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 2, 1], [0, 0, 0, 1, 1, 9], [0xFF, 0xFF, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func malformed(_ body: [UInt8]) { #expect(parts(body) == nil) }

    @Test("Evidence beyond the limit of parts is refused")
    func limit() {
        let most = [[UInt8]](repeating: [1], count: Evidence.partLimit)
        #expect(parts(Evidence.join(most)) == most)
        #expect(parts(Evidence.join(most + [[1]])) == nil)
    }
}
