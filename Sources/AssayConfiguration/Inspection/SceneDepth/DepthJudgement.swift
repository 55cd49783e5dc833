/// What the numbers of a depth map say: a scene, or a screen that shows one. docs/plugins/scene-depth.md has the source of each constant.
package struct DepthJudgement: Hashable, Sendable {
    package static let deviationAbove = 0.5
    package static let layersLeast = 3
    package static let coherenceAbove = 0.3
    package static let coherenceAboveStrict = 0.7
    package static let screenRangeBelow = 0.15
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
        coherenceAbove = strict ? Self.coherenceAboveStrict : Self.coherenceAbove
        deviates = statistics.deviation > Self.deviationAbove
        isLayered = statistics.layers >= Self.layersLeast
        hasEdges = statistics.edgeCoherence > coherenceAbove
        let isFlat = statistics.range < Self.screenRangeBelow || statistics.medianShare > Self.screenShareAbove
        isScreenLike = isFlat && Self.screenMeans.contains(statistics.mean)
        hasAlikeQuadrants = statistics.quadrantDeviation <= Self.quadrantsAlike
    }
}
