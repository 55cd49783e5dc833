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

    @Test(
        "Evidence in parts equals evidence with the joined body: same body, size, parts and digest",
        arguments: [[], [[]], [[1]], [[1, 2], [], [3]], [[UInt8](repeating: 7, count: 5000), [1]]])
    func inParts(_ pieces: [[UInt8]]) {
        let whole = Evidence(format: .keyAttestation, keyID: [4], body: Evidence.join(pieces))
        let inParts = Evidence(format: .keyAttestation, keyID: [4], parts: pieces.map { $0[...] })
        #expect(inParts == whole && whole == inParts && inParts.hashValue == whole.hashValue)
        #expect(inParts.body == whole.body && inParts.size == whole.size && inParts.digest == whole.digest)
        #expect(inParts.parts?.map(Array.init) == pieces)
        #expect(inParts != Evidence(format: .keyAttestation, keyID: [4], parts: pieces.map { $0[...] } + [[]]))
    }

    @Test("Evidence that came in more parts than the limit has no parts, and keeps its digest")
    func tooManyParts() {
        let pieces = [[UInt8]](repeating: [1], count: Evidence.partLimit + 1)
        let inParts = Evidence(format: .keyAttestation, keyID: [], parts: pieces.map { $0[...] })
        #expect(inParts.parts == nil)
        #expect(inParts.digest == Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(pieces)).digest)
    }
}
