/// What a plugin says of one piece of evidence.
public struct Opinion: Hashable, Sendable {
    /// The name of the plugin's entry in the catalog.
    public let plugin: String
    /// `answered`: the plugin's answer as it was sent, which its verifier reads.
    public let answer: OutsideAnswer

    public init(plugin: String, answer: OutsideAnswer) { (self.plugin, self.answer) = (plugin, answer) }
}

/// The plugins that are asked about evidence of one format for one app.
package protocol OpinionSource: Sendable {
    /// Whether a verdict depends on an opinion. Otherwise plugins are only tried out.
    var decides: Bool { get }

    /// Which device the evidence is about, for formats whose devices a plugin registers. Called before ``opinions(on:)``.
    func locate(_ question: OpinionQuestion) async -> LocatedSubject

    /// What the plugins that decide say of the evidence: one opinion of each. A plugin that does not answer is an opinion too.
    func opinions(on question: OpinionQuestion) async -> [Opinion]

    /// Lets plugins that are tried out judge the same evidence, and counts differences. Returns at once; nothing waits for it.
    func compare(_ question: OpinionQuestion, with appraisal: Appraisal)

    /// Why the plugins that decide are not asked at present; `nil` if they are. For operators; does no I/O.
    func outage(at now: Timestamp) -> String?
}

/// One piece of evidence for plugins.
package struct OpinionQuestion: Sendable {
    package let evidence: BoundedEvidence
    package let app: AppID
    package let purpose: Purpose
    package let binding: Binding
    package let requestID: [UInt8]
    package let now: Timestamp
    /// The signed document of the request's signals, if it is the payload that the binding has; otherwise empty.
    package var signals: [UInt8] = []
    /// What `locate` said.
    package var subject = LocatedSubject.none
    /// The device that `locate` named, if it is registered.
    package var device: Device?

    package init(
        _ evidence: BoundedEvidence, of app: AppID, for purpose: Purpose, binding: Binding, requestID: [UInt8], now: Timestamp
    ) {
        (self.evidence, self.app, self.purpose) = (evidence, app, purpose)
        (self.binding, self.requestID, self.now) = (binding, requestID, now)
    }
}

/// The device that a plugin reads from evidence.
package enum LocatedSubject: Hashable, Sendable {
    /// The evidence is about none.
    case none
    /// - Parameters:
    ///   - keyID: of the device, 32 bytes.
    ///   - subjectKey: the plugin's own name for it.
    case device(keyID: [UInt8], subjectKey: [UInt8])
    /// The evidence cannot be read.
    case refused(Rejection)
    /// The plugin does not answer. A sentence gives the reason.
    case unavailable(String)
}
