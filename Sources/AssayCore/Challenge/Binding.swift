import Crypto

/// The bytes that the device was expected to sign, after the way of binding is decided.
public struct Binding: Hashable, Sendable {
    public enum Mode: UInt8, CaseIterable, Hashable, Sendable {
        /// Assay's own client data: challenge, purpose and payload.
        case clientData = 1
        /// The app's own client data, with the challenge at one configured place.
        case embedded = 2
        /// A hash whose freshness the caller guarantees.
        case callerOwned = 3
        /// None: the evidence is a statement of its own (`ReplayProtection.statement`).
        case inEvidence = 4

        public var name: String {
            switch self {
            case .clientData: "client_data"
            case .embedded: "embedded"
            case .callerOwned: "caller_owned"
            case .inEvidence: "in_evidence"
            }
        }
    }

    public let mode: Mode
    /// The hash that the platform signs: SHA-256 of the client data, or the caller's hash.
    public let clientDataHash: [UInt8]
    /// The bytes that a platform carries or signs without hashing them first: the client data, or the caller's hash.
    public let clientData: [UInt8]
    /// SHA-256 of the bound payload; `nil` if none is bound, or only the caller knows it.
    public let payloadHash: [UInt8]?
    /// The challenge in the client data; `nil` where it is not known.
    let challenge: [UInt8]?

    /// Binding by Assay's own client data.
    public init(_ clientData: ClientData) {
        mode = .clientData
        self.clientData = clientData.bytes
        clientDataHash = SHA256.bytes(of: self.clientData)
        payloadHash = clientData.payloadHash
        challenge = clientData.challenge
    }

    /// Binding by client data of any form that bind a payload: where a plugin is examined, and no challenge exists.
    package init(clientData: [UInt8], payloadHash: [UInt8]) {
        mode = .clientData
        self.clientData = clientData
        clientDataHash = SHA256.bytes(of: clientData)
        self.payloadHash = payloadHash
        challenge = nil
    }

    /// Binding by the app's own client data, in which the challenge was found.
    ///
    /// - Parameter challenge: for sentences about an app's mistakes; `nil`: not known.
    public init(embedded clientData: [UInt8], challenge: [UInt8]? = nil) {
        mode = .embedded
        self.clientData = clientData
        clientDataHash = SHA256.bytes(of: clientData)
        payloadHash = nil
        self.challenge = challenge ?? ClientData(parsing: clientData)?.challenge
    }

    /// Binding by a capture that a device signed offline: the evidence says by itself what it is about, and names its payload.
    ///
    /// - Parameter capture: one that names a payload.
    package init(_ capture: OfflineCapture, for app: AppID) {
        mode = .inEvidence
        clientData = capture.signedBytes(for: app)
        clientDataHash = SHA256.bytes(of: clientData)
        (payloadHash, challenge) = (capture.payloadHash, nil)
    }

    /// What the device was expected to sign, before it is hashed; `nil` for a statement of which only its verifier knows.
    package var expectedBytes: [UInt8]? { mode == .inEvidence && payloadHash == nil ? nil : clientData }

    /// No binding: the evidence says by itself what it is about.
    public static let inEvidence = Binding()

    private init() {
        mode = .inEvidence
        (clientData, clientDataHash, payloadHash, challenge) = ([], [], nil, nil)
    }

    /// Binding for which the caller is responsible. The hash is bytes; platforms do not enforce 32.
    public init(callerOwned hash: [UInt8]) {
        mode = .callerOwned
        clientData = hash
        clientDataHash = hash
        (payloadHash, challenge) = (nil, nil)
    }
}

/// How long challenges are good, in milliseconds.
package struct ChallengeRule: Hashable, Sendable {
    /// The longest that any challenge may be good: 1 hour.
    package static let longest: Int64 = 3_600_000
    package static let usual: Int64 = 300_000

    package let timeToLive: Int64
    package init(timeToLive: Int64 = Self.usual) { self.timeToLive = timeToLive }
}

/// How the app's evidence may be bound to a request.
package struct BindingRule: Hashable, Sendable {
    /// Whether Assay's client data must bind a payload.
    package let payloadRequired: Bool
    /// Where the challenge stands in the app's own client data; `nil`: that way is not allowed.
    package let embedded: EmbeddedChallenge?
    /// Whether callers may vouch for a hash; `nil`: they may not.
    package let callerOwned: CallerOwnedRule?

    package init(payloadRequired: Bool = false, embedded: EmbeddedChallenge? = nil, callerOwned: CallerOwnedRule? = nil) {
        (self.payloadRequired, self.embedded, self.callerOwned) = (payloadRequired, embedded, callerOwned)
    }
}

/// Binding by a hash that the caller vouches for. An assertion's counter keeps it from being used twice; of other evidence
/// each use is remembered.
package struct CallerOwnedRule: Hashable, Sendable {
    /// How long a use of evidence without a counter is remembered at least, in milliseconds; `nil`: such evidence is refused.
    package let spendEvidenceFor: Int64?
    package init(spendEvidenceFor: Int64?) { self.spendEvidenceFor = spendEvidenceFor }
}
