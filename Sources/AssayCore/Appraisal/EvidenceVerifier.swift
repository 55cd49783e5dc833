/// Judges one kind of evidence for one app. The app's identities, anchors and policy are its own properties; nothing
/// else is remembered between calls, so the same input gives the same appraisal for ever.
public protocol EvidenceVerifier: Sendable {
    var format: EvidenceFormat { get }

    /// Purposes for which this kind of evidence may be used.
    var purposes: Set<Purpose> { get }

    /// The largest body that is looked at, in bytes.
    var sizeLimit: Int { get }

    /// Whether evidence of this kind carries a counter that keeps it from being accepted twice. No, unless a verifier
    /// says otherwise.
    var hasCounter: Bool { get }

    /// Who makes registrations of devices that registered by evidence of this kind elsewhere; `nil` where the app does not
    /// accept such devices, or none can exist.
    var importer: (any DeviceImporter)? { get }

    /// Says, without I/O, what must be fetched before `appraise`.
    func locate(_ evidence: Evidence) throws(Rejection) -> Lookup

    /// Judges the evidence. Synchronous and pure: no clock, network, store or logger. Findings come in documented order;
    /// after a failure of authenticity nothing is claimed. Policy findings follow those of the platform's own checks.
    func appraise(_ evidence: Evidence, in context: AppraisalContext) -> Appraisal
}

extension EvidenceVerifier {
    public var hasCounter: Bool { false }
    public var importer: (any DeviceImporter)? { nil }
}

/// What an appraisal needs from the registry.
public enum Lookup: Hashable, Sendable {
    case nothing
    /// The device registered for the app with this key.
    case device(keyID: [UInt8])
}

/// What evidence is held against.
public struct AppraisalContext: Sendable {
    /// What the device was to sign.
    public let binding: Binding
    /// The registered device that `locate` asked for, if there is one.
    public let device: Device?
    public let now: Timestamp

    public init(binding: Binding, device: Device? = nil, now: Timestamp) {
        (self.binding, self.device, self.now) = (binding, device, now)
    }
}
