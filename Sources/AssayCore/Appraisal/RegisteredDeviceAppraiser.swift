/// Judges a registered device again when it is used: by today's policy, anchors and list of revoked certificates, against what
/// its registration keeps. There is one for each kind of evidence that registers keys which later sign by themselves; whoever
/// verifies such a signature asks the one of the registration's format.
public protocol RegisteredDeviceAppraiser: Sendable {
    /// The kind of evidence by which the devices were registered.
    var format: EvidenceFormat { get }

    /// Adds findings, claims and feeds to the appraisal, sets its assurance, and marks it as simulated where the device is.
    /// Throws the first thing that speaks against the device, after it has recorded it. Pure, as `EvidenceVerifier.appraise`
    /// is; that the signature is the device's is the caller's to say.
    func judge(
        _ device: Device, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection)
}
