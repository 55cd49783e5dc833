/// Makes what a device needs before it can make evidence of one format: session data of a provider, or a credential that only its TPM can open.
///
/// It keeps nothing. What the verifier must recognise in the second step is derived (``PreparationSecrets``), or stands in what the device
/// returns. It is called in the caller's own call and may wait for a service outside; it does not limit how often it is asked, which the
/// service does.
package protocol EvidencePreparer: Sendable {
    /// Throws the refusal of a request, or why nothing can be prepared at present.
    ///
    /// - Parameter body: of the caller, in the format's form, at most 512 KiB.
    func prepare(_ body: [UInt8], for app: AppID, at now: Timestamp) async throws(PreparationFailure) -> Preparation
}

/// What was prepared for a device.
package struct Preparation: Hashable, Sendable {
    package let body: [UInt8]
    /// When it ends; `nil`: the preparer does not say.
    package let expiry: Timestamp?

    package init(body: [UInt8], expiry: Timestamp?) { (self.body, self.expiry) = (body, expiry) }
}

package enum PreparationFailure: Error, Hashable, Sendable {
    /// The preparer refuses the request.
    case refused(Rejection)
    /// The format prepares nothing.
    case notPrepared
    /// There is no usable answer of what the preparer asks. A sentence gives the reason.
    ///
    /// - Parameters:
    ///   - check: what could not be done, as in the findings of verdicts.
    ///   - retryAfter: when another try may help; `nil`: that is not known.
    case unavailable(String, check: String = "preparation", retryAfter: Duration? = nil)
}
