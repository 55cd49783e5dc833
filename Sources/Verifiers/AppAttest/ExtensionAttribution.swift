/// How extensions after authenticator data are attributed to the system.
///
/// A client data hash has no fixed length, and the nonce is computed over authenticator data and hash without a separator: an
/// app can pass a map and the true hash as its "hash", and send the map as if the system had appended it.
package enum ExtensionAttribution: Hashable, Sendable {
    /// By the ED flag, which only the system writes; or, in an attestation, by a receipt in which Apple signed the expected
    /// hash, so that no byte of the map belongs to the hash. The daemon uses this.
    case vouched
    /// Always. Only for conformance: vectors state the content of a single object without its receipt or registration. No
    /// configuration of the daemon selects it.
    case presumed
}
