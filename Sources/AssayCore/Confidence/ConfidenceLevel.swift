/// How much a capture can be relied on, as the app's profile says it. Not the decision: a verdict is accepted or rejected by its
/// evidence, and no level changes that unless the app's policy demands one.
///
/// The raw value is the number in the protobuf.
public enum ConfidenceLevel: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    /// Nothing is attested, or the key is stored by software.
    case rejected = 1
    /// A check speaks against the capture.
    case suspicious = 2
    /// Little or nothing speaks for it.
    case low = 3
    case medium = 4
    case mediumHigh = 5
    case high = 6
    /// All methods of the device's suite were available and agree. Only the profile `suite` has it.
    case veryHigh = 7

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The name in the configuration, in JSON and in the output of commands.
    public var name: String {
        switch self {
        case .rejected: "rejected"
        case .suspicious: "suspicious"
        case .low: "low"
        case .medium: "medium"
        case .mediumHigh: "medium_high"
        case .high: "high"
        case .veryHigh: "very_high"
        }
    }

    /// The level among the older four, `high`, `medium`, `low` and `suspicious`, for readers that know no others.
    public var amongFour: ConfidenceLevel {
        switch self {
        case .veryHigh, .high: .high
        case .mediumHigh, .medium: .medium
        case .low: .low
        case .suspicious, .rejected: .suspicious
        }
    }

    /// The level with this name. Older packages write names in capitals.
    public init?(name: some Collection<UInt8>) {
        let lower = name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let level = Self.allCases.first(where: { $0.name.utf8.elementsEqual(lower) }) else { return nil }
        self = level
    }
}

/// The kind of device as its attestation says it: never what the app or the caller states.
public enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
    /// Also iPadOS.
    case iOS = "ios"
    case android

    /// The signal with the primary measurement of depth.
    var depthSignal: String {
        switch self {
        case .iOS: "lidar"
        case .android: "parallax"
        }
    }
}

/// What the attestation of an accepted verdict says of the device's hardware.
public struct HardwareAttestation: Hashable, Sendable {
    public enum Status: String, CaseIterable, Hashable, Sendable {
        case pass
        /// The key is stored by software.
        case fail
        /// The evidence says nothing of hardware: a vendor's online verdict.
        case unavailable
        /// The verdict is a rejection.
        case notJudged = "not_judged"
    }

    /// Where the attested key is stored.
    public enum Level: String, CaseIterable, Hashable, Sendable {
        case strongBox = "strongbox"
        case secureEnclave = "secure_enclave"
        /// A secure element of a device whose platform is not known.
        case secureElement = "secure_element"
        /// A trusted execution environment.
        case tee
        case software
        case none
    }

    public let status: Status
    public let level: Level
    /// Trust rests on a test root.
    public let simulated: Bool

    public init(status: Status, level: Level, simulated: Bool) {
        (self.status, self.level, self.simulated) = (status, level, simulated)
    }

    /// - Parameter assurance: of the whole verdict, which is the minimum over its pieces of evidence.
    public init(_ assurance: Assurance, platform: DevicePlatform?, simulated: Bool) {
        switch (assurance, platform) {
        case (.secureElement, .iOS?): self.init(status: .pass, level: .secureEnclave, simulated: simulated)
        case (.secureElement, .android?): self.init(status: .pass, level: .strongBox, simulated: simulated)
        case (.secureElement, nil): self.init(status: .pass, level: .secureElement, simulated: simulated)
        case (.hardware, _): self.init(status: .pass, level: .tee, simulated: simulated)
        case (.software, _): self.init(status: .fail, level: .software, simulated: simulated)
        case (.platform, _), (.none, _): self.init(status: .unavailable, level: .none, simulated: simulated)
        }
    }
}
