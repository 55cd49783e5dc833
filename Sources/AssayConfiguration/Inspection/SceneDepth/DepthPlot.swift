import AssayCompression

/// A picture of a depth map that shows why it is judged as it is: the map coloured by depth with its edges, the histogram with the layers' peaks, and
/// each number with what it is compared with.
package struct DepthPlot: Sendable {
    private let map: DepthMap
    private let statistics: DepthStatistics?
    private let judgement: DepthJudgement?
    private(set) var canvas: PlotCanvas

    /// Each pixel of the map is a square of so many pixels of the image.
    static let scale = 3
    static let margin = 18
    private static let panelWidth = 330
    private static let barWidth = 220
    private static let lineHeight = 24
    private static let lines = 7

    package init(_ map: DepthMap, strict: Bool) {
        self.map = map
        statistics = DepthStatistics(map)
        judgement = statistics.map { DepthJudgement($0, strict: strict) }
        let geometry = map.geometry
        canvas = PlotCanvas(
            width: 3 * Self.margin + geometry.width * Self.scale + Self.panelWidth,
            height: 3 * Self.margin + geometry.height * Self.scale + Self.lines * Self.lineHeight)
        drawMap()
        drawHistogram()
        drawNumbers()
    }

    /// A PNG; `nil` if zlib has no memory.
    package var file: [UInt8]? { canvas.image.file }

    // MARK: Map

    /// From near, yellow, to far, violet.
    private static let colours: [PNGImage.RGB] = [
        .init(253, 231, 37), .init(180, 222, 44), .init(109, 205, 89), .init(53, 183, 121), .init(31, 158, 137),
        .init(38, 130, 142),
        .init(49, 104, 142), .init(62, 74, 137), .init(72, 40, 120), .init(68, 1, 84),
    ]
    static let invalid = PNGImage.RGB(70, 70, 70)
    static let edge = PNGImage.RGB(255, 64, 200)

    /// - Parameter place: 0, the least depth, to 1, the greatest.
    private static func colour(_ place: Double) -> PNGImage.RGB {
        let position = min(max(place, 0), 1) * Double(colours.count - 1)
        let index = min(Int(position), colours.count - 2)
        let (near, far, part) = (colours[index], colours[index + 1], position - Double(index))
        func mixed(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(Double(a) + (Double(b) - Double(a)) * part) }
        return PNGImage.RGB(mixed(near.red, far.red), mixed(near.green, far.green), mixed(near.blue, far.blue))
    }

    private mutating func drawMap() {
        for (at, value) in map.values.enumerated() {
            let (y, x) = at.quotientAndRemainder(dividingBy: map.geometry.width)
            var colour = Self.invalid
            if let statistics, DepthStatistics.isValid(value) {
                colour = Self.colour(statistics.range > 0 ? (Double(value) - statistics.minimum) / statistics.range : 0)
            }
            let (left, top) = (Self.margin + x * Self.scale, Self.margin + y * Self.scale)
            canvas.fill(left, top, Self.scale, Self.scale, colour)
            // The depth stays visible around the mark.
            if statistics?.edges[at] == true { canvas.fill(left, top, Self.scale - 1, Self.scale - 1, Self.edge) }
        }
    }

    // MARK: Histogram

    /// A bar for each bin, the least depth at the top; the line is the 3-point mean, in which the peaks are.
    private mutating func drawHistogram() {
        guard let statistics else { return }
        let left = 2 * Self.margin + map.geometry.width * Self.scale
        let barHeight = map.geometry.height * Self.scale / DepthStatistics.layerBins
        let sums = DepthStatistics.sums(statistics.histogram)
        let longest = max(statistics.histogram.max() ?? 1, (sums.max() ?? 3) / 3, 1)
        for (bin, count) in statistics.histogram.enumerated() {
            let top = Self.margin + bin * barHeight
            let place = (Double(bin) + 0.5) / Double(DepthStatistics.layerBins)
            canvas.fill(left, top, count * Self.barWidth / longest, barHeight - 1, Self.colour(place))
            canvas.fill(left + sums[bin] * Self.barWidth / (3 * longest), top, 2, barHeight, PlotCanvas.text)
            if statistics.peaks.contains(bin) {
                let depth = statistics.minimum + place * statistics.range
                let centre = top + barHeight / 2
                for step in 0..<8 { canvas.fill(left + Self.barWidth + 6 + step, centre - step, 1, 2 * step + 1, Self.edge) }
                canvas.write(DepthMapInspector.centimetres(depth), left + Self.barWidth + 20, centre - 7)
            }
        }
        let lowest = (sums.max() ?? 0) * DepthStatistics.layerPercent * Self.barWidth / (300 * longest)
        for y in stride(from: 0, to: barHeight * DepthStatistics.layerBins, by: 6) {
            canvas.fill(left + lowest, Self.margin + y, 1, 3, Self.edge)
        }
    }

    // MARK: Numbers

    private mutating func drawNumbers() {
        var top = 2 * Self.margin + map.geometry.height * Self.scale
        for (text, holds) in numbers {
            let colour = holds.map { $0 ? PlotCanvas.good : PlotCanvas.bad } ?? PlotCanvas.text
            canvas.write(text, Self.margin, top, colour)
            top += Self.lineHeight
        }
    }

    /// Lines of text, and whether what they say speaks for a scene.
    private var numbers: [(String, Bool?)] {
        guard let statistics, let judgement else { return [("NO PIXEL IS FROM 0.1 TO 20 M", false)] }
        let coherence = DepthMapInspector.number(statistics.edgeCoherence)
        let range = "\(DepthMapInspector.metres(statistics.minimum)) TO \(DepthMapInspector.metres(statistics.maximum))"
        return [
            (judgement.isLikelyRealScene ? "LIKELY A REAL SCENE" : "NOT LIKELY A REAL SCENE", judgement.isLikelyRealScene),
            (
                "DEVIATION \(DepthMapInspector.metres(statistics.deviation)) (> \(DepthJudgement.deviationAbove))",
                judgement.deviates
            ),
            ("LAYERS \(statistics.layers) (>= \(DepthJudgement.layersLeast))", judgement.isLayered),
            ("EDGE COHERENCE \(coherence) (> \(judgement.coherenceAbove))", judgement.hasEdges),
            (
                "\(judgement.isScreenLike ? "SCREEN-LIKE" : "NOT SCREEN-LIKE"): RANGE \(DepthMapInspector.metres(statistics.range)), "
                    + "\(DepthMapInspector.percent(statistics.medianShare)) NEAR MEDIAN, MEAN \(DepthMapInspector.metres(statistics.mean))",
                !judgement.isScreenLike
            ),
            ("\(range), \(statistics.validPixels) OF \(map.values.count) PIXELS VALID", nil),
            ("PINK: EDGES, PEAKS, 5 % OF THE HIGHEST PEAK. WHITE: 3-POINT MEAN. GREY: NOT VALID", nil),
        ]
    }
}
