import AssayCompression
import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import DaemonTesting

@Suite("Depth maps")
struct DepthMapTests {
    struct Golden: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let values: [Float]
        let deviation: String
        let layers: Int
        let coherence: String
        let isScene: Bool
        let isSceneStrictly: Bool
        let isScreen: Bool
    }

    private static let golden = [
        Golden(
            testDescription: "flat", values: SampleDepthMap.flat(0.45), deviation: "0.0000", layers: 1, coherence: "0.0000",
            isScene: false, isSceneStrictly: false, isScreen: true),
        Golden(
            testDescription: "bands", values: SampleDepthMap.bands, deviation: "1.3218", layers: 3, coherence: "0.3765",
            isScene: true, isSceneStrictly: false, isScreen: false),
        Golden(
            testDescription: "checker", values: SampleDepthMap.checker, deviation: "1.3199", layers: 3, coherence: "0.9986",
            isScene: true, isSceneStrictly: true, isScreen: false),
        Golden(
            testDescription: "ramp", values: SampleDepthMap.ramp, deviation: "0.0289", layers: 6, coherence: "0.0000",
            isScene: false, isSceneStrictly: false, isScreen: true),
    ]

    private static func map(_ values: [Float], width: Int = 256, height: Int = 192) throws -> DepthMap {
        DepthMap(values: values, try #require(DepthMap.Geometry(width: width, height: height)))
    }

    private static func statistics(_ values: [Float]) throws -> DepthStatistics {
        try #require(DepthStatistics(try map(values)))
    }

    private func inspect(_ bytes: [UInt8], strict: Bool = false) -> Inspection {
        var input = InspectionInput(bytes: bytes, now: Timestamp(unixSeconds: 1_750_000_000))
        input.depth.isStrict = strict
        return Inspection(input)
    }

    // MARK: Numbers

    @Test("Maps with known numbers have them to the fourth digit, and are judged by them in both modes", arguments: golden)
    func numbers(_ golden: Golden) throws {
        let statistics = try Self.statistics(golden.values)
        #expect(DepthMapInspector.number(statistics.deviation) == golden.deviation)
        #expect(statistics.layers == golden.layers)
        #expect(DepthMapInspector.number(statistics.edgeCoherence) == golden.coherence)
        #expect(DepthJudgement(statistics, strict: false).isLikelyRealScene == golden.isScene)
        #expect(DepthJudgement(statistics, strict: true).isLikelyRealScene == golden.isSceneStrictly)
        #expect(DepthJudgement(statistics, strict: false).isScreenLike == golden.isScreen)
    }

    @Test("Only finite depths from 0.1 to 20 m count, both ends included")
    func validPixels() throws {
        for (value, isValid) in [
            (0.1, true), (Float(0.1).nextDown, false), (20, true), (Float(20).nextUp, false), (.nan, false), (.infinity, false),
            (-.infinity, false), (.leastNonzeroMagnitude, false), (0, false), (-0.0, false), (-2, false),
        ] as [(Float, Bool)] {
            var values = SampleDepthMap.bands
            values[5] = value
            #expect(try Self.statistics(values).validPixels == (isValid ? 49152 : 49151), "\(value)")
        }
        #expect(DepthStatistics(try Self.map(SampleDepthMap.flat(0))) == nil)
    }

    @Test("A step of a tenth of a metre is no edge, and the next float above it is one")
    func edges() throws {
        for (value, count) in [(Float(1.2).nextDown, 0), (1.2, 4)] {
            var values = SampleDepthMap.flat(1)
            values[10 * 256 + 10] = value
            #expect(try Self.statistics(values).edges.count { $0 } == count)
        }
    }

    @Test("A flat surface is screen-like from 0.2 to 1.5 m, both ends included")
    func screens() throws {
        for (depth, isScreen) in [
            (Float(0.2).nextDown, false), (0.2, true), (1.5, true), (Float(1.5).nextUp, false),
        ] as [(Float, Bool)] {
            let judgement = DepthJudgement(try Self.statistics(SampleDepthMap.flat(depth)), strict: false)
            #expect(judgement.isScreenLike == isScreen, "\(depth)")
        }
    }

    @Test("A peak of 5 % of the highest is no layer, and a plateau is one")
    func layers() throws {
        for (few, layers) in [(2000, 2), (2001, 3)] {
            let values =
                [Float](repeating: 1, count: 40000) + [Float](repeating: 2, count: 9152 - few)
                + [Float](repeating: 3, count: few)
            #expect(try Self.statistics(values).layers == layers)
        }
        let plateau =
            [Float](repeating: 1, count: 8192) + [Float](repeating: 3.05, count: 16384) + [Float](repeating: 3.15, count: 16384)
            + [Float](repeating: 6, count: 8192)
        #expect(try Self.statistics(plateau).peaks == [0, 20, 48])
    }

    /// Built by `make plugins`.
    private static let program = PluginHome.root.appending(path: "plugins/scene-depth/.build/numbers")

    @Test(
        "The plugin's numbers of 20 made-up maps are the same",
        .enabled(if: FileManager.default.isExecutableFile(atPath: program.path()), "make plugins builds the program"))
    func plugin() throws {
        let sides = [(256, 192), (246, 182), (266, 202), (251, 199)]
        let maps = try (0..<20).map { index in
            let (width, height) = sides[index % sides.count]
            return try Self.map(SampleDepthMap.made(index, width: width, height: height), width: width, height: height)
        }
        let folder = try TemporaryFolder()
        let input = try maps.flatMap { map in
            let body = try SampleDepthMap.gzip(map.values)
            return [map.geometry.width, map.geometry.height, body.count].flatMap { word in
                (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            } + body
        }
        let lines = try Self.output(of: Self.program, reading: try folder.write(input, to: "maps"))
        #expect(lines.count == maps.count)
        for (index, (map, line)) in zip(maps, lines).enumerated() {
            let found = line.split(separator: " ").compactMap { Double($0) }
            guard let statistics = DepthStatistics(map) else {
                #expect(found.prefix(2) == [0, 0], "map \(index)")
                continue
            }
            let expected = Self.numbers(of: statistics)
            #expect(found.count == expected.count + 1)
            for (number, other) in zip(found.dropFirst(), expected) {
                #expect(abs(number - other) <= 1e-12, "map \(index): \(line)")
            }
        }
    }

    /// In the order of the program.
    private static func numbers(of statistics: DepthStatistics) -> [Double] {
        let ordinary = DepthJudgement(statistics, strict: false)
        let judged = [
            ordinary.isScreenLike, ordinary.isLikelyRealScene, DepthJudgement(statistics, strict: true).isLikelyRealScene,
        ]
        return [
            Double(statistics.validPixels), statistics.minimum, statistics.maximum, statistics.mean, statistics.median,
            statistics.medianShare, statistics.deviation, Double(statistics.layers), statistics.edgeCoherence,
            statistics.quadrantDeviation,
        ] + judged.map { $0 ? 1 : 0 }
    }

    private static func output(of program: URL, reading path: String) throws -> [Substring] {
        let process = Process()
        process.executableURL = program
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n")
    }

    // MARK: Files

    @Test("A file that is not one member of gzip with exactly the map's floats is malformed, and nothing of it is judged")
    func malformed() throws {
        let good = try SampleDepthMap.gzip(SampleDepthMap.bands)
        for (bytes, sentence) in [
            (
                try SampleDepthMap.gzip(SampleDepthMap.bands.dropLast()),
                "expected 196608 bytes for 256 x 192 pixels, 196604 come out"
            ),
            (try SampleDepthMap.gzip(SampleDepthMap.bands + [1]), "expected 196608 bytes for 256 x 192 pixels, more come out"),
            (try SampleDepthMap.gzip([Float](repeating: 0, count: 4 << 20)), "more come out"),
            (Array(good.dropLast()), "expected one whole gzip member and nothing behind it"),
            (good + [0], "expected one whole gzip member and nothing behind it"),
            (good + good, "expected one whole gzip member and nothing behind it"),
            (Array(good.prefix(3)), "expected one whole gzip member and nothing behind it"),
            (good + [UInt8](repeating: 0, count: 256 << 10), "expected at most 262144 bytes of a compressed depth map"),
        ] {
            let inspection = inspect(bytes)
            #expect(inspection.kind == .depthMap && inspection.findings.isEmpty && inspection.depth == nil)
            #expect(inspection.explanation.firstProblem?.detail.contains(sentence) == true, "\(sentence)")
        }
    }

    @Test("A map is explained with its numbers, and each check with what it compares")
    func inspection() throws {
        let inspection = inspect(try SampleDepthMap.gzip(SampleDepthMap.bands))
        #expect(inspection.isGood && inspection.isFullyJudged && inspection.explanation.firstProblem == nil)
        #expect(inspection.findings.map(\.check) == ["deviation", "layers", "edge_coherence", "screen"])
        #expect(inspection.findings.first?.detail == "1.3218 m, needed: above 0.5 m")
        #expect(inspection.depth?.statistics.layers == 3)
        let strict = inspect(try SampleDepthMap.gzip(SampleDepthMap.bands), strict: true)
        #expect(strict.findings.first { $0.outcome == .fail }?.check == "edge_coherence")
        let flat = inspect(try SampleDepthMap.gzip(SampleDepthMap.flat(0.45)))
        #expect(flat.findings.filter { $0.outcome == .fail }.map(\.code).last == "depth_screen_like")
        #expect(flat.findings.last?.code == "depth_quadrants_alike")
        for finding in inspection.findings + flat.findings { #expect(inspection.meaning(of: finding.check) != nil) }
    }

    @Test("A map without a valid pixel is not judged, and is not bad")
    func unmeasured() throws {
        let inspection = inspect(try SampleDepthMap.gzip(SampleDepthMap.flat(0)))
        #expect(inspection.isGood && !inspection.isFullyJudged && inspection.depth == nil)
        #expect(inspection.findings.map(\.code) == ["depth_no_valid_pixel"])
    }

    // MARK: Pictures

    @Test("A picture shows near and far in other colours, marks edges, and leaves pixels without a depth grey")
    func plot() throws {
        var values = SampleDepthMap.bands
        values[20 * 256 + 20] = .nan
        let plot = DepthPlot(try Self.map(values), strict: false)
        let image = plot.canvas.image
        func colour(_ x: Int, _ y: Int) -> [UInt8] {
            let at = ((DepthPlot.margin + y * DepthPlot.scale) * image.width + DepthPlot.margin + x * DepthPlot.scale) * 3
            return Array(image.pixels[at..<at + 3])
        }
        #expect(colour(10, 10) == [253, 231, 37] && colour(250, 10) == [68, 1, 84])
        #expect(colour(20, 20) == [DepthPlot.invalid.red, DepthPlot.invalid.green, DepthPlot.invalid.blue])
        let edge = [DepthPlot.edge.red, DepthPlot.edge.green, DepthPlot.edge.blue]
        #expect(colour(84, 50) == edge && colour(85, 50) == edge && colour(83, 50) != edge && colour(86, 50) != edge)
        #expect(plot.file?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        // Without a valid pixel there is a picture all the same.
        #expect(DepthPlot(try Self.map(SampleDepthMap.flat(0)), strict: false).file != nil)
    }
}
