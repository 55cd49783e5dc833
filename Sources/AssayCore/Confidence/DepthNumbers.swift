/// What the app measured of a depth map, as the signed document states it. The map itself need not arrive.
public struct DepthNumbers: Hashable, Sendable {
    /// The standard deviation of the valid pixels, in metres; sources call it the variance.
    public let variance: Measure
    public let layers: Int64
    public let edgeCoherence: Score
    /// In metres.
    public let min: Measure
    /// In metres.
    public let max: Measure
    /// The app's own conclusion.
    public let isLikelyRealScene: Bool
    public let algorithmVersion: String
    /// SHA-256 of the map, 32 bytes.
    public let mapDigest: [UInt8]?

    public init(
        variance: Measure, layers: Int64, edgeCoherence: Score, min: Measure, max: Measure, isLikelyRealScene: Bool,
        algorithmVersion: String, mapDigest: [UInt8]? = nil
    ) {
        (self.variance, self.layers, self.edgeCoherence, self.min, self.max) = (variance, layers, edgeCoherence, min, max)
        (self.isLikelyRealScene, self.algorithmVersion, self.mapDigest) = (isLikelyRealScene, algorithmVersion, mapDigest)
    }

    init(_ fields: JSONFields) throws(Rejection) {
        func metres(_ name: String) throws(Rejection) -> Measure {
            try fields.required(name, fields.decimal(name, "a number from 0 to \(Measure.most)") { Measure(decimal: $0) })
        }
        variance = try metres("variance")
        layers = try fields.required("layers", fields.integer("layers"))
        guard (0...1000).contains(layers) else { throw SignalDocument.malformed("depth.layers is not 0 to 1000") }
        edgeCoherence = try fields.required(
            "edge_coherence", fields.decimal("edge_coherence", "a number from 0 to 1") { Score(decimal: $0) })
        (min, max) = (try metres("min"), try metres("max"))
        guard min <= max else { throw SignalDocument.malformed("depth.max is below depth.min") }
        isLikelyRealScene = try fields.required("is_likely_real_scene", fields.boolean("is_likely_real_scene"))
        algorithmVersion = try fields.required("algorithm_version", fields.short("algorithm_version"))
        mapDigest = try fields.text("map_sha256").map { (text) throws(Rejection) in
            guard text.utf8.count == 64, let digest = Hex.decode(text) else {
                throw SignalDocument.malformed("depth.map_sha256 is not 64 hexadecimal digits")
            }
            return digest
        }
    }

    // MARK: Judging

    /// Above this deviation, in metres, a scene has depth.
    package static let leastVariance = Measure(millionths: 500_000)
    package static let leastLayers: Int64 = 3
    /// A range below this, in metres, is that of a flat screen.
    package static let leastRange = Measure(millionths: 150_000)

    /// Above this coherence a scene has edges: 0.3, and 0.7 for an app that is strict.
    package static func leastCoherence(isStrict: Bool) -> Score { Score(rounding: isStrict ? 700_000 : 300_000, over: 1) }

    /// Which of the thresholds the numbers do not hold, as parts of a sentence; empty: they are those of a real scene.
    func shortcomings(isStrict: Bool) -> [String] {
        let coherence = Self.leastCoherence(isStrict: isStrict)
        let range = Measure(millionths: max >= min ? max.millionths - min.millionths : 0)
        return [
            variance > Self.leastVariance ? nil : "variance \(variance), want above \(Self.leastVariance)",
            layers >= Self.leastLayers ? nil : "layers \(layers), want at least \(Self.leastLayers)",
            edgeCoherence > coherence ? nil : "edge_coherence \(edgeCoherence), want above \(coherence)",
            range >= Self.leastRange
                ? nil : "a range of \(range) m, want at least \(Self.leastRange) m",
        ].compactMap { $0 }
    }
}
