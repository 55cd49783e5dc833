import AssayCompression
import Foundation
import Testing

@testable import AssayConfiguration

/// Depth maps with known numbers (docs/reference/scene-depth.md), and others that a seed makes.
enum SampleDepthMap {
    static let bands: [Float] = drawn { x, _ in x < 85 ? 0.8 : x < 170 ? 2.0 : 4.0 }
    static let checker: [Float] = drawn { x, y in [0.8, 2.0, 4.0][(x / 16 + y / 16) % 3] }
    static let ramp: [Float] = drawn { x, _ in Float(0.4 + 0.1 * Double(x) / 256) }

    static func flat(_ depth: Float) -> [Float] { [Float](repeating: depth, count: 256 * 192) }

    static func drawn(width: Int = 256, height: Int = 192, _ pixel: (Int, Int) -> Float) -> [Float] {
        (0..<height).flatMap { y in (0..<width).map { x in pixel(x, y) } }
    }

    static func gzip(_ values: [Float]) throws -> [UInt8] {
        // Little endian, as every machine is that the tests run on.
        let bytes = values.withUnsafeBytes { Array($0) }
        return try #require(Deflation.deflate(bytes, as: .gzip, level: 1))
    }

    /// Scenes, screens, steps at the constants, and pixels of any bits.
    static func made(_ index: Int, width: Int, height: Int) -> [Float] {
        var chance = SplitMix(state: UInt64(index))
        let near = Float.random(in: 0.2...1.6, using: &chance)
        let depths = (0..<Int.random(in: 1...7, using: &chance)).map { _ in Float.random(in: 0.3...6, using: &chance) }
        let tile = Int.random(in: 3...40, using: &chance)
        let steps: [Float] = [0.1, 0.45, 1.0, 1.05, 1.2, 1.5, 20.0]
        var values = drawn(width: width, height: height) { x, y in
            switch index % 5 {
            case 0: Float.random(in: 0...21, using: &chance)
            case 1: near + Float.random(in: -0.06...0.06, using: &chance)
            case 2: depths[(x / tile * 7 + y / tile * 3) % depths.count] + Float.random(in: 0...0.02, using: &chance)
            case 3: steps[Int.random(in: steps.indices, using: &chance)]
            default: 0.5 + 4 * Float(x) / Float(width) + 2 * Float(y) / Float(height)
            }
        }
        for _ in 0..<(index % 2 == 0 ? 0 : Int.random(in: 1...values.count, using: &chance)) {
            let place = Int.random(in: values.indices, using: &chance)
            values[place] = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &chance))
        }
        return values
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
