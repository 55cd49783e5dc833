import AssayCompression
import Testing

@Suite("Compression")
struct CompressionTests {
    /// Repeats and noise, so that blocks of both kinds are written.
    private static let content = (0..<40_000).map { (index: UInt64) -> UInt8 in
        UInt8(truncatingIfNeeded: index % 7 == 0 ? (index &* 2_654_435_761) >> 13 : index / 900)
    }

    @Test("what was deflated is inflated again", arguments: [CompressedFormat.zlib, .gzip], [0 as CInt, 1, 9])
    func roundTrip(_ format: CompressedFormat, _ level: CInt) throws {
        for content in [[], [7], Self.content] {
            let deflated = try #require(Deflation.deflate(content, as: format, level: level))
            #expect(try Inflation.inflate(deflated, as: format, limit: content.count) == content)
        }
    }

    @Test("zlib at level 9 begins with 78 da, gzip with 1f 8b")
    func heads() throws {
        #expect(try #require(Deflation.deflate([1], as: .zlib)).prefix(2) == [0x78, 0xDA])
        #expect(try #require(Deflation.deflate([1], as: .gzip)).prefix(2) == [0x1F, 0x8B])
    }

    @Test("a byte more than the limit is refused, from a kilobyte that would become a mebibyte too")
    func limit() throws {
        let bomb = try #require(Deflation.deflate([UInt8](repeating: 0, count: 1 << 20), as: .zlib))
        #expect(bomb.count < 1100)
        #expect(try Inflation.inflate(bomb, as: .zlib, limit: 1 << 20).count == 1 << 20)
        for limit in [0, 1000, 1 << 20 - 1] {
            #expect(throws: InflationError.tooLong) { try Inflation.inflate(bomb, as: .zlib, limit: limit) }
        }
    }

    @Test("no strict prefix, no byte behind the end, no other checksum and no other format is inflated")
    func malformed() throws {
        let deflated = try #require(Deflation.deflate(Array(Self.content.prefix(300)), as: .zlib))
        for count in 0..<deflated.count {
            #expect(throws: InflationError.malformed) {
                try Inflation.inflate(Array(deflated.prefix(count)), as: .zlib, limit: 300)
            }
        }
        var checksum = deflated
        checksum[checksum.count - 1] ^= 1
        for bytes in [deflated + [0], checksum] {
            #expect(throws: InflationError.malformed) { try Inflation.inflate(bytes, as: .zlib, limit: 300) }
        }
        #expect(throws: InflationError.malformed) { try Inflation.inflate(deflated, as: .gzip, limit: 300) }
    }
}
