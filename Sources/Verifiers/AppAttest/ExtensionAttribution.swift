/// Who may say that the map behind authenticator data is the system's.
///
/// A client data hash has no fixed length, and the nonce is made of authenticator data and hash without a mark between them: an
/// app may pass a map and the true hash as its "hash", and send the map as if the system had appended it.
package enum ExtensionAttribution: Hashable, Sendable {
    /// The ED flag, which lies where only the system writes; or, of an attestation, a receipt in which Apple signed the expected
    /// hash, so that nothing of the map belongs to it. What the daemon goes by.
    case vouched
    /// Everybody. For conformance alone: vectors state what stands in a lone object whose receipt or registration they leave out.
    /// No configuration of the daemon reaches it.
    case presumed
}
