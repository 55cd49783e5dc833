import AssayCore

/// What the numbers of a depth map say: a scene, or a screen that shows one. docs/reference/scene-depth.md has the source of each constant.
package struct DepthJudgement: Hashable, Sendable {
    // Those by which the numbers of a document are judged.
    package static let deviationAbove = Double(DepthNumbers.leastVariance.millionths) / 1_000_000
    package static let layersLeast = Int(DepthNumbers.leastLayers)
    package static let screenRangeBelow = Double(DepthNumbers.leastRange.millionths) / 1_000_000
    package static let screenShareAbove = 0.85
    package static let screenMeans = 0.2...1.5
    package static let quadrantsAlike = 0.1

    package let deviates: Bool
    package let isLayered: Bool
    package let hasEdges: Bool
    /// The coherence that edges need, in the mode asked for.
    package let coherenceAbove: Double
    /// A flat surface within reach.
    package let isScreenLike: Bool
    /// Worth a note, and no failure.
    package let hasAlikeQuadrants: Bool

    package var isLikelyRealScene: Bool { deviates && isLayered && hasEdges && !isScreenLike }

    /// - Parameter strict: edges need a coherence above 0.7 in place of 0.3.
    package init(_ statistics: DepthStatistics, strict: Bool) {
        coherenceAbove = Double(DepthNumbers.leastCoherence(isStrict: strict).millionths) / 1_000_000
        deviates = statistics.deviation > Self.deviationAbove
        isLayered = statistics.layers >= Self.layersLeast
        hasEdges = statistics.edgeCoherence > coherenceAbove
        let isFlat = statistics.range < Self.screenRangeBelow || statistics.medianShare > Self.screenShareAbove
        isScreenLike = isFlat && Self.screenMeans.contains(statistics.mean)
        hasAlikeQuadrants = statistics.quadrantDeviation <= Self.quadrantsAlike
    }
}
