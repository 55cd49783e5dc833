import Foundation

/// The numbers of a depth map, as docs/reference/scene-depth.md defines them. Lengths are in metres.
package struct DepthStatistics: Sendable {
    /// The depths of a valid pixel. Only valid pixels count.
    package static let validDepths = 0.1...20.0
    package static let layerBins = 50
    /// A peak is higher than this part of the highest, in percent.
    static let layerPercent = 5
    /// Half of the difference of a pixel's neighbours is greater where there is an edge.
    static let edge = 0.1
    static let edgeFactor = 30.0
    static let nearMedian = 0.05

    package let validPixels: Int
    package let minimum: Double
    package let maximum: Double
    package let mean: Double
    package let median: Double
    /// The share of valid pixels within 5 cm of the median, 0 to 1.
    package let medianShare: Double
    /// The standard deviation.
    package let deviation: Double
    /// How many pixels are in each of the bins from minimum to maximum.
    package let histogram: [Int]
    /// The bins of the histogram's peaks, the middle one of a plateau.
    package let peaks: [Int]
    /// Where there is an edge: one for each pixel, row by row. Pixels at the border have none.
    package let edges: [Bool]
    /// 0 to 1.
    package let edgeCoherence: Double
    /// The standard deviation of the quadrants' means.
    package let quadrantDeviation: Double

    package var layers: Int { peaks.count }
    package var range: Double { maximum - minimum }

    /// `nil` if no pixel is valid.
    package init?(_ map: DepthMap) {
        let valid = map.values.lazy.filter(Self.isValid).map(Double.init)
        let sorted = valid.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let mean = valid.reduce(0, +) / Double(sorted.count)
        let median =
            sorted.count % 2 == 1
            ? sorted[sorted.count / 2] : (sorted[sorted.count / 2 - 1] + sorted[sorted.count / 2]) / 2
        validPixels = sorted.count
        (minimum, maximum) = (least, most)
        (self.mean, self.median) = (mean, median)
        medianShare = Double(valid.count { abs($0 - median) <= Self.nearMedian }) / Double(sorted.count)
        deviation = (valid.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(sorted.count)).squareRoot()
        histogram = Self.histogram(valid, least, most)
        peaks = Self.peaks(Self.sums(histogram))
        edges = Self.edges(map)
        let inner = (map.geometry.width - 2) * (map.geometry.height - 2)
        edgeCoherence = 1 - exp(-Self.edgeFactor * Double(edges.count { $0 }) / Double(inner))
        quadrantDeviation = Self.quadrantDeviation(map)
    }

    package static func isValid(_ value: Float) -> Bool { validDepths.contains(Double(value)) }

    // MARK: Layers

    private static func histogram(_ valid: some Sequence<Double>, _ minimum: Double, _ maximum: Double) -> [Int] {
        var bins = [Int](repeating: 0, count: layerBins)
        let range = maximum - minimum
        for value in valid {
            bins[range > 0 ? min(layerBins - 1, Int((value - minimum) / range * Double(layerBins))) : 0] += 1
        }
        return bins
    }

    /// The triple of the 3-point mean, so that all is in whole numbers. Beyond either end there is nothing.
    package static func sums(_ histogram: [Int]) -> [Int] {
        histogram.indices.map { index in
            (index > 0 ? histogram[index - 1] : 0) + histogram[index] + (index + 1 < histogram.count ? histogram[index + 1] : 0)
        }
    }

    /// A peak is higher than what is on both of its sides; an end can be one, and a plateau is one.
    private static func peaks(_ sums: [Int]) -> [Int] {
        let highest = sums.max() ?? 0
        var peaks: [Int] = []
        var start = 0
        while start < sums.count {
            let end = sums[start...].firstIndex { $0 != sums[start] } ?? sums.count
            let rises = start == 0 || sums[start - 1] < sums[start]
            let falls = end == sums.count || sums[end] < sums[start]
            if rises, falls, sums[start] * 100 > highest * layerPercent { peaks.append((start + end - 1) / 2) }
            start = end
        }
        return peaks
    }

    // MARK: Edges

    /// Half of the difference of two neighbours; 0 if one of them is not valid, so that holes are no edges.
    private static func slope(_ before: Float, _ after: Float) -> Double {
        isValid(before) && isValid(after) ? (Double(after) - Double(before)) / 2 : 0
    }

    private static func edges(_ map: DepthMap) -> [Bool] {
        let (width, values) = (map.geometry.width, map.values)
        var edges = [Bool](repeating: false, count: values.count)
        for y in 1..<(map.geometry.height - 1) {
            for at in (y * width + 1)..<(y * width + width - 1) {
                let across = slope(values[at - 1], values[at + 1])
                let down = slope(values[at - width], values[at + width])
                edges[at] = (across * across + down * down).squareRoot() > edge
            }
        }
        return edges
    }

    // MARK: Quadrants

    /// Of the quadrants that have a valid pixel.
    private static func quadrantDeviation(_ map: DepthMap) -> Double {
        let geometry = map.geometry
        var sums = [Double](repeating: 0, count: 4)
        var counts = [Int](repeating: 0, count: 4)
        for (at, value) in map.values.enumerated() where isValid(value) {
            let (y, x) = at.quotientAndRemainder(dividingBy: geometry.width)
            let quadrant = (y >= geometry.height / 2 ? 2 : 0) + (x >= geometry.width / 2 ? 1 : 0)
            sums[quadrant] += Double(value)
            counts[quadrant] += 1
        }
        let means = zip(sums, counts).filter { $0.1 > 0 }.map { $0.0 / Double($0.1) }
        let mean = means.reduce(0) { $0 + $1 / Double(means.count) }
        return (means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(means.count)).squareRoot()
    }
}
