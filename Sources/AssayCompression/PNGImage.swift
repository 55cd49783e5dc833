import CZlib

/// An image of 8 bits for each of red, green and blue, without an alpha channel.
package struct PNGImage: Sendable {
    package let width: Int
    package let height: Int
    /// Three bytes a pixel, row by row from the top.
    package private(set) var pixels: [UInt8]

    /// An image of one colour.
    ///
    /// - Parameters:
    ///   - width: in pixels, 1 to 16384.
    ///   - height: in pixels, 1 to 16384.
    package init(width: Int, height: Int, fill: RGB) {
        precondition((1...16384).contains(width) && (1...16384).contains(height))
        (self.width, self.height) = (width, height)
        pixels = []
        pixels.reserveCapacity(width * height * 3)
        for _ in 0..<(width * height) { pixels += [fill.red, fill.green, fill.blue] }
    }

    package struct RGB: Hashable, Sendable {
        package let red: UInt8
        package let green: UInt8
        package let blue: UInt8

        package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }
    }

    /// A pixel outside of the image is not set.
    package mutating func set(_ x: Int, _ y: Int, _ colour: RGB) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        let at = (y * width + x) * 3
        (pixels[at], pixels[at + 1], pixels[at + 2]) = (colour.red, colour.green, colour.blue)
    }

    /// The file (PNG, third edition): signature, header, one chunk of data, end. Each row is stored as its differences from the row above.
    ///
    /// - Returns: `nil` if zlib has no memory.
    package var file: [UInt8]? {
        let row = width * 3
        var filtered: [UInt8] = []
        filtered.reserveCapacity((row + 1) * height)
        for y in 0..<height {
            filtered.append(Self.up)
            for at in (y * row)..<((y + 1) * row) { filtered.append(pixels[at] &- (y > 0 ? pixels[at - row] : 0)) }
        }
        guard let data = Deflation.deflate(filtered, as: .zlib) else { return nil }
        // Depth 8, colour type 2 (red, green, blue), and the only compression, filter method and order of rows that there are.
        let header = Self.word(width) + Self.word(height) + [8, 2, 0, 0, 0]
        return [0x89] + "PNG\r\n\u{1A}\n".utf8 + Self.chunk("IHDR", header) + Self.chunk("IDAT", data) + Self.chunk("IEND", [])
    }

    /// The filter type Up (§9.2).
    private static let up: UInt8 = 2

    /// Length, type, data, and the CRC-32 of type and data (§5.3).
    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let checked = type.utf8 + data
        return word(data.count) + checked + word(Int(crc32(0, checked, uInt(checked.count))))
    }

    private static func word(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
    }
}
