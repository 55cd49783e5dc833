import AssayCore
import Testing

@Suite("Block position")
struct BlockPositionTests {
    @Test("Positions are ordered by kind, then by bytes as a store compares them")
    func order() throws {
        let bytes: [[UInt8]] = [[], [0], [1], [1, 0], [0x7F, 0xFF], [0x80], [0xFF]]
        let ordered = [BlockKind.device, .subject, .key].flatMap { kind in bytes.map { BlockPosition(kind, $0) } }
        #expect(ordered.shuffled().sorted() == ordered)
        for (lower, higher) in zip(ordered, ordered.dropFirst()) { #expect(lower < higher && !(higher < lower)) }
    }

    @Test("Keys are the last kind, to which the blocks of forgotten devices move")
    func keysLast() {
        for kind in BlockKind.allCases where kind != .key {
            #expect(BlockPosition(kind, [0xFF]) < BlockPosition(.key, []), "\(kind)")
        }
    }

    @Test("The position of a target converts back to it")
    func roundTrip() throws {
        let app = try #require(AppID("camera"))
        let targets: [BlockTarget] = [
            .device(.random()), .subject([1, 2], of: app), .key(DeviceKey(app: app, keyID: [3])),
        ]
        for target in targets {
            #expect(target.position.kind == target.kind)
            #expect(BlockTarget(at: target.position, in: app) == target)
        }
        #expect(BlockTarget(at: BlockPosition(.device, [1, 2]), in: app) == nil, "no device has a name of two bytes")
    }
}
