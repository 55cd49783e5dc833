import AssayCompression
import Testing

@Suite("PNG images")
struct PNGImageTests {
    /// The CRC-32 of ISO 3309, bit by bit.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { value, _ in value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
        }
    }

    private static func word(_ bytes: some Collection<UInt8>) -> UInt32 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The type and the data of each chunk.
    private static func chunks(_ file: [UInt8]) throws -> [(type: String, data: [UInt8])] {
        var rest = file.dropFirst(8)
        var chunks: [(type: String, data: [UInt8])] = []
        while !rest.isEmpty {
            let length = Int(word(rest))
            try #require(rest.count >= length + 12)
            let checked = rest.dropFirst(4).prefix(length + 4)
            #expect(word(rest.dropFirst(length + 8)) == checksum(checked))
            chunks.append((String(decoding: checked.prefix(4), as: UTF8.self), Array(checked.dropFirst(4))))
            rest = rest.dropFirst(length + 12)
        }
        return chunks
    }

    @Test("A file has signature, header, data and end, with their checksums, and its rows are those of the image")
    func file() throws {
        var image = PNGImage(width: 5, height: 3, fill: PNGImage.RGB(1, 2, 3))
        image.set(4, 2, PNGImage.RGB(255, 0, 128))
        image.set(0, 1, PNGImage.RGB(9, 8, 7))
        // Outside: nothing is set.
        for (x, y) in [(5, 0), (-1, 0), (0, 3), (0, -1), (.max, .min)] { image.set(x, y, PNGImage.RGB(0, 0, 0)) }
        let file = try #require(image.file)
        #expect(file.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let chunks = try Self.chunks(file)
        #expect(chunks.map(\.type) == ["IHDR", "IDAT", "IEND"])
        try #require(chunks.count == 3)
        #expect(chunks[0].data == [0, 0, 0, 5, 0, 0, 0, 3, 8, 2, 0, 0, 0] && chunks[2].data.isEmpty)
        let filtered = try Inflation.inflate(chunks[1].data, as: .zlib, limit: 3 * 16)
        try #require(filtered.count == 3 * 16)
        var rows: [[UInt8]] = []
        for y in 0..<3 {
            let row = filtered[(16 * y)..<(16 * y + 16)]
            #expect(row.first == 2)
            rows.append(zip(row.dropFirst(), rows.last ?? [UInt8](repeating: 0, count: 15)).map { $0 &+ $1 })
        }
        #expect(rows.flatMap { $0 } == image.pixels)
        #expect(rows[2].suffix(3) == [255, 0, 128] && rows[1].prefix(3) == [9, 8, 7] && rows[0].prefix(3) == [1, 2, 3])
    }
}
