public import Foundation

/// Apple's `DCAppAttestService`, as far as it is used. Tests have a stand-in.
///
/// A call need not respect cancellation, and need not end: the library waits for `Settings.appleTimeLimit`.
public protocol AppAttestService: Sendable {
    var isSupported: Bool { get }

    /// Makes a key in the Secure Enclave, and returns its id: 32 bytes, in Base64.
    func generateKey() async throws(AppAttestError) -> String

    /// Asks Apple to attest the key. Succeeds once for each key.
    func attestKey(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data

    /// Signs with an attested key, on the phone alone.
    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data
}

/// The codes of Apple's `DCError`, by Apple's names.
public enum AppAttestError: Error, Hashable, Sendable, CaseIterable {
    /// The device has no App Attest.
    case featureUnsupported
    /// An argument is malformed. Of an assertion with a stored key it is also seen where the key is gone.
    case invalidInput
    /// The key is not in the Secure Enclave (another installation, a restored backup, another device), is not attested, or was
    /// attested before.
    case invalidKey
    /// Apple's server was not reached, or asks to wait. "Try the attestation again later using the same key and the same value for
    /// the `clientDataHash` parameter."
    case serverUnavailable
    /// Another failure, also each error that is none of `DCError`. Of an assertion it is also seen where the key is gone.
    case unknownSystemFailure
}
