/// Appraises a registered device again at each use: under today's policy, anchors and revocation list, over the facts of its
/// registration. There is one for each format that registers keys which later sign by themselves; the verifier of such a
/// signature calls the one of the registration's format.
public protocol RegisteredDeviceAppraiser: Sendable {
    /// The format of evidence with which the devices were registered.
    var format: EvidenceFormat { get }

    /// Adds findings, claims and feeds to the appraisal, sets its assurance, and marks it as simulated if the device is.
    /// Records the first failure and throws it. Pure, like `EvidenceVerifier.appraise`; the caller has verified the device's
    /// signature.
    func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)
}
