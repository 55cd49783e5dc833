import AssayCompression
import AssayConfiguration
import AssayCore
import AssaySchemes

extension FuzzTarget {
    /// The bytes as a file that is inspected; and, of one input in 16, repeated as the floats of a map: a fuzzer never finds the checksum of a changed one,
    /// and a debug build takes a good part of a second for a whole map.
    static func depthMap(_ bytes: [UInt8]) {
        inspect(bytes)
        guard !bytes.isEmpty, bytes.reduce(0, &+) % 16 == 0, let usual = DepthMap.Geometry(width: 256, height: 192) else {
            return
        }
        let floats = (0..<usual.bytes).map { bytes[$0 % bytes.count] }
        guard let gzip = Deflation.deflate(floats, as: .gzip, level: 1) else { return }
        guard (try? DepthMap(gzip: gzip, usual))?.values.count == usual.pixels else {
            fatalError("a map of any floats is not read")
        }
        inspect(gzip)
    }

    private static func inspect(_ bytes: [UInt8]) {
        let inspection = Inspection(InspectionInput(bytes: bytes, now: now))
        guard let depth = inspection.depth else { return }
        if depth.judgement.isLikelyRealScene, depth.judgement.isScreenLike { fatalError("a screen is a scene") }
    }
}
