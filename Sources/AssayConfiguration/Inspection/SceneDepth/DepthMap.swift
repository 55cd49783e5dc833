import AssayCompression
package import AssayCore
package import AssaySchemes

/// A depth map of a capture: gzip (RFC 1952) of 32-bit floats in little endian, row by row from the top, in metres.
///
/// docs/reference/scene-depth.md is the specification of the map and of its numbers. The plugin that judges maps for verdicts is in C; a test compares
/// both.
package struct DepthMap: Sendable {
    /// Width and height in pixels.
    package struct Geometry: Hashable, Sendable, CustomStringConvertible {
        package let width: Int
        package let height: Int

        /// At most ten pixels from 256, the width of a map whose document declares none.
        package static let widths = 246...266
        /// At most ten pixels from 192.
        package static let heights = 182...202

        /// - Returns: `nil` if a side is out of its range.
        package init?(width: Int, height: Int) {
            guard Self.widths.contains(width), Self.heights.contains(height) else { return nil }
            (self.width, self.height) = (width, height)
        }

        package var pixels: Int { width * height }
        /// The bytes of its floats.
        package var bytes: Int { 4 * pixels }
        package var description: String { "\(width) x \(height)" }
    }

    package let geometry: Geometry
    /// Row by row, and not trusted: NaN, infinities and negative values are possible.
    package let values: [Float]

    /// The largest compressed map, in bytes.
    static let sizeLimit = 256 << 10

    /// Whether bytes begin as a member of gzip does.
    package static func isGzip(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B, 0x08]) }

    /// Throws a rejection, `malformed`, if the bytes are not one member of gzip, or if not exactly the geometry's floats come out. At most one
    /// byte more than these is inflated.
    package init(gzip: [UInt8], _ geometry: Geometry) throws(Rejection) {
        guard gzip.count <= Self.sizeLimit else {
            throw Rejection(
                .malformed, "expected at most \(Self.sizeLimit) bytes of a compressed depth map, found \(gzip.count)")
        }
        let bytes = try Self.inflate(gzip, geometry)
        guard bytes.count == geometry.bytes else {
            throw Rejection(.malformed, "expected \(geometry.bytes) bytes for \(geometry) pixels, \(bytes.count) come out")
        }
        self.init(
            values: (0..<geometry.pixels).map { pixel in
                Float(
                    bitPattern: (0..<4).reduce(0) { bits, byte in bits | UInt32(bytes[4 * pixel + byte]) << (8 * UInt32(byte)) }
                )
            }, geometry)
    }

    /// The map of an inspection's file.
    package init(_ input: InspectionInput) throws(Rejection) {
        guard let geometry = Geometry(width: input.depth.width, height: input.depth.height) else {
            throw Rejection(.malformed, "\(input.depth.width) x \(input.depth.height) pixels are no geometry of a depth map")
        }
        try self.init(gzip: input.bytes, geometry)
    }

    /// - Parameter values: as many as the geometry has.
    init(values: [Float], _ geometry: Geometry) {
        precondition(values.count == geometry.pixels)
        (self.values, self.geometry) = (values, geometry)
    }

    private static func inflate(_ gzip: [UInt8], _ geometry: Geometry) throws(Rejection) -> [UInt8] {
        do throws(InflationError) {
            return try Inflation.inflate(gzip, as: .gzip, limit: geometry.bytes)
        } catch {
            switch error {
            case .tooLong: throw Rejection(.malformed, "expected \(geometry.bytes) bytes for \(geometry) pixels, more come out")
            case .malformed: throw Rejection(.malformed, "expected one whole gzip member and nothing behind it")
            case .outOfMemory: throw Rejection(.malformed, "zlib has no memory to inflate the map")
            }
        }
    }
}
