public import Foundation

/// The app's own server, which asks the daemon (docs/start/protect-an-upload.md). A phone never talks to the daemon itself.
///
/// `URLSessionBackend` is one for the routes of that page. An app with other routes writes its own, which must
/// - end each call, by an error if no answer comes in time;
/// - send what it is given unchanged: the library repeats a request with the same bytes, and the backend makes it safe by its
///   idempotency key;
/// - take the user from the session, never from the request.
public protocol Backend: Sendable {
    /// A new challenge.
    func challenge(for act: Act) async throws(BackendError) -> Challenge
    /// Registers the attested key for the user.
    func register(_ registration: Registration) async throws(BackendError) -> BackendAnswer
    /// Stores the payload, if the signature over it is accepted.
    func upload(_ upload: SignedUpload) async throws(BackendError) -> BackendAnswer
}

/// What a challenge is for. The raw value is the word of the request.
public enum Act: String, Hashable, Sendable {
    case register
    case upload
}

/// An attested key, to be registered. The payload that its attestation binds is the user's name.
public struct Registration: Hashable, Sendable, Codable {
    public let challenge: Challenge
    /// As `generateKey` returned it: Base64 of 32 bytes. The daemon takes the bytes.
    public let keyID: String
    /// What `attestKey` returned, in CBOR.
    public let attestation: Data

    public init(challenge: Challenge, keyID: String, attestation: Data) {
        (self.challenge, self.keyID, self.attestation) = (challenge, keyID, attestation)
    }
}

/// A payload and the signature over it.
public struct SignedUpload: Hashable, Sendable {
    /// The app's name of this upload: the same whenever the app tries the same payload again.
    public let id: String
    /// Exactly these bytes are signed.
    public let payload: Data
    public let signature: UploadSignature

    public init(id: String, payload: Data, signature: UploadSignature) {
        (self.id, self.payload, self.signature) = (id, payload, signature)
    }
}

/// The signature over a payload.
public struct UploadSignature: Hashable, Sendable, Codable {
    public let challenge: Challenge
    /// As `generateKey` returned it: Base64 of 32 bytes.
    public let keyID: String
    /// What `generateAssertion` returned, in CBOR.
    public let assertion: Data

    public init(challenge: Challenge, keyID: String, assertion: Data) {
        (self.challenge, self.keyID, self.assertion) = (challenge, keyID, assertion)
    }
}

/// What the backend says to a registration or an upload, where it says neither "later" nor "no".
public enum BackendAnswer: Hashable, Sendable {
    /// Registered, or stored.
    case done
    /// Fetch a challenge and sign again, with the same key (retry class `new_challenge`).
    case newChallenge
    /// Make a new key and register it (retry class `re_attest`).
    case register
}

/// Why a request to the backend has no such answer.
public enum BackendError: Error, Hashable, Sendable {
    /// No connection, or it was lost, or no answer came in time. Whether the request was done is not known. It is repeated.
    case noAnswer
    /// Not now (retry class `later`). `after`: the time that the backend asks for. The request is repeated.
    case later(after: Duration?)
    /// The session of the user has ended.
    case signedOut
    /// No (retry classes `never` and `contact_operator`).
    case refused(Refusal)
    /// What came is no answer of the backend.
    case wrongAnswer(String)
    /// The task was cancelled.
    case cancelled
}
