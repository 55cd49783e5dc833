/// A remark on a capture. Every one becomes a note in the verdict; none is a rejection by itself.
public struct ConfidenceNote: Hashable, Sendable {
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// Signals speak against the capture, or against each other.
        case signalsDisagree = "signals_disagree"
        /// The numbers of the depth map are not those of its conclusion.
        case depthContradicts = "depth_contradicts"
        /// The document states what its own flags leave out.
        case metadataFlagsViolated = "metadata_flags_violated"
        /// The user left something out of the metadata.
        case optedOut = "opted_out"
        /// The capture comes from the app's offline queue.
        case capturedLate = "captured_late"
        /// The time of the capture is not near that of its receipt.
        case captureTimeOff = "capture_time_off"
        /// The list of models does not know the device's.
        case modelUnknown = "model_unknown"
        /// The model has no LiDAR sensor, and the app measured with one.
        case modelWithoutLiDAR = "model_without_lidar"
        /// The app's own score is another than the one computed here.
        case aggregateMismatch = "aggregate_mismatch"
    }

    public let code: Code
    public let detail: String

    public init(_ code: Code, _ detail: String) { (self.code, self.detail) = (code, detail) }
}

/// The kind of a device, which decides its suite of methods in the profile `suite`.
public enum DeviceKind: String, CaseIterable, Hashable, Sendable {
    case iPhoneWithLiDAR = "iphone_lidar"
    /// Also an iPhone or iPad whose model is not known.
    case iPhoneWithoutLiDAR = "iphone"
    case android

    /// The method with the primary measurement of depth.
    var primaryMethod: String {
        switch self {
        case .iPhoneWithLiDAR: "lidar"
        case .iPhoneWithoutLiDAR, .android: "parallax"
        }
    }

    var ceiling: ConfidenceLevel {
        switch self {
        case .iPhoneWithLiDAR: .veryHigh
        case .iPhoneWithoutLiDAR: .high
        case .android: .mediumHigh
        }
    }
}

/// A capture as it counts: its signals after the document's other statements were judged, and after the server measured.
struct CaptureReading {
    /// The document counts; `nil` if none does.
    let document: SignalDocument?
    /// `nil` where the platform is not known.
    private(set) var kind: DeviceKind?
    private(set) var signals: SignalReadings
    private(set) var notes: [ConfidenceNote] = []

    /// - Parameter receivedAt: `nil`: the time of the capture is not judged.
    init(
        _ scene: SceneAnalysis, _ platform: DevicePlatform?, by rule: ConfidenceRule, receivedAt: Timestamp?
    ) {
        document = scene.document
        signals = SignalReadings(scene.document)
        if let statements = scene.document?.statements {
            judgeDepth(statements.depth, isStrict: rule.isDepthStrict)
            judgeModel(statements.metadata?.model, platform)
            judgeMetadata(statements, receivedAt, passingFrom: rule.passScore)
        }
        signals.replace(byMeasured: scene.measured)
        kind = Self.kind(platform, model: document?.statements.metadata?.model, signals)
    }

    /// Of an iPhone whose model is not stated it is decided by whether it measured with LiDAR.
    private static func kind(_ platform: DevicePlatform?, model: String?, _ signals: SignalReadings) -> DeviceKind? {
        switch platform {
        case nil: nil
        case .android?: .android
        case .iOS?:
            if let model {
                LiDARModels.hasLiDAR(model) == true ? .iPhoneWithLiDAR : .iPhoneWithoutLiDAR
            } else {
                signals["lidar"]?.score == nil ? .iPhoneWithoutLiDAR : .iPhoneWithLiDAR
            }
        }
    }

    // MARK: Depth

    /// Numbers that are not those of a real scene, or not those of their own conclusion, fail `lidar`, also where it has a score. Others give
    /// it its outcome where it has none.
    private mutating func judgeDepth(_ depth: DepthNumbers?, isStrict: Bool) {
        guard let depth else { return }
        let shortcomings = depth.shortcomings(isStrict: isStrict)
        if shortcomings.isEmpty != depth.isLikelyRealScene {
            let found = shortcomings.isEmpty ? "all thresholds are held" : shortcomings.joined(separator: "; ")
            notes.append(
                ConfidenceNote(.depthContradicts, "depth.is_likely_real_scene is \(depth.isLikelyRealScene), but \(found)"))
        }
        guard shortcomings.isEmpty, depth.isLikelyRealScene else {
            return signals.replace("lidar", by: .outcome(.fail), .device)
        }
        switch signals["lidar"]?.value {
        case .score?, .outcome(.fail)?: return
        case .outcome?, nil: signals.replace("lidar", by: .outcome(.pass), .device)
        }
    }

    // MARK: Model

    /// LiDAR of a model without it fails; of a model that is not known it is unavailable.
    private mutating func judgeModel(_ model: String?, _ platform: DevicePlatform?) {
        guard let model, platform == .iOS else { return }
        let hasMeasured = signals["lidar"]?.score != nil
        switch LiDARModels.hasLiDAR(model) {
        case true?: return
        case false?:
            guard hasMeasured else { return }
            signals.replace("lidar", by: .outcome(.fail), .device)
            notes.append(
                ConfidenceNote(
                    .modelWithoutLiDAR, "metadata.model has no LiDAR sensor by the list of \(LiDARModels.date); lidar fails"))
        case nil:
            if hasMeasured { signals.replace("lidar", by: .outcome(.unavailable), .device) }
            notes.append(
                ConfidenceNote(
                    .modelUnknown,
                    "the list of models of \(LiDARModels.date) does not know metadata.model; lidar is unavailable"))
        }
    }

    // MARK: Metadata

    /// The check `metadata`: the worst of what the app says and of what its metadata show.
    private mutating func judgeMetadata(
        _ statements: CaptureStatements, _ receivedAt: Timestamp?, passingFrom least: Score
    ) {
        guard statements.metadata != nil || statements.flags != nil else { return }
        let (metadata, flags) = (statements.metadata ?? CaptureMetadata(), statements.flags ?? CaptureFlags())
        var outcomes = signals["metadata"].map { [$0.outcome(passingFrom: least)] } ?? []
        let violations = metadata.violations(of: flags)
        if !violations.isEmpty {
            outcomes.append(.fail)
            notes.append(ConfidenceNote(.metadataFlagsViolated, violations.joined(separator: "; ")))
        }
        if !flags.optedOut.isEmpty {
            outcomes.append(.unavailable)
            notes.append(ConfidenceNote(.optedOut, "opted out of \(flags.optedOut.joined(separator: ", "))"))
        }
        if let time = metadata.capturedAt {
            outcomes.append(judgeTime(time, isLate: metadata.isLate, receivedAt))
        } else {
            outcomes.append(.unavailable)
        }
        let outcome: Signal.Outcome = outcomes.contains(.fail) ? .fail : outcomes.contains(.unavailable) ? .unavailable : .pass
        signals.replace("metadata", by: .outcome(outcome), .device)
    }

    private mutating func judgeTime(
        _ time: CaptureMetadata.Time, isLate: Bool, _ receivedAt: Timestamp?
    ) -> Signal.Outcome {
        guard let receivedAt else { return .pass }
        let (first, last) = time.bounds
        let isFuture = first.milliseconds(since: receivedAt) > CaptureMetadata.timeTolerance
        guard !isFuture, isLate || receivedAt.milliseconds(since: last) <= CaptureMetadata.timeTolerance else {
            notes.append(
                ConfidenceNote(
                    .captureTimeOff,
                    "captured at \(time.text), received at \(receivedAt); want at most \(CaptureMetadata.timeTolerance / 60_000) min between them"
                ))
            return .fail
        }
        guard isLate else { return .pass }
        notes.append(ConfidenceNote(.capturedLate, "captured at \(time.text), received at \(receivedAt)"))
        return .unavailable
    }
}

extension CaptureMetadata {
    /// 15 min, in milliseconds.
    static let timeTolerance: Int64 = 15 * 60_000

    /// Where the metadata state what the flags leave out, as parts of a sentence.
    func violations(of flags: CaptureFlags) -> [String] {
        var places: [String] = []
        switch flags.location {
        case .some(.none) where location != nil: places.append("flags.location is none, and metadata.location is there")
        case .coarse? where location?.isCoarse == false:
            places.append("flags.location is coarse, and metadata.location is more precise than 0.01 degrees")
        default: break
        }
        switch (flags.time, capturedAt) {
        case (.some(.none), .some): places.append("flags.timestamp is none, and metadata.captured_at is there")
        case (.dayOnly?, .instant?): places.append("flags.timestamp is day_only, and metadata.captured_at has a time of day")
        default: break
        }
        let named = [("device.serial", serial), ("device.build", build)].compactMap { $0.1 == nil ? nil : $0.0 }
        switch flags.device {
        case .some(.none):
            places += (model == nil ? named : ["model"] + named).map { "flags.device is none, and metadata.\($0) is there" }
        case .modelOnly?: places += named.map { "flags.device is model_only, and metadata.\($0) is there" }
        case .full?, nil: break
        }
        return places
    }
}

extension CaptureMetadata.Time {
    /// The first and the last instant that it may be. A day is one of an unknown time zone, from UTC+14 to UTC-12.
    fileprivate var bounds: (first: Timestamp, last: Timestamp) {
        switch self {
        case .instant(let time): return (time, time)
        case .day(let day):
            let midnight = Timestamp(unixSeconds: day.daysSince1970 * 86_400)
            return (midnight.adding(milliseconds: -14 * 3_600_000), midnight.adding(milliseconds: 36 * 3_600_000))
        }
    }
}
