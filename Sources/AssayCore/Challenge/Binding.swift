import Crypto

/// What the device was to sign, once it is settled how it was bound.
public struct Binding: Hashable, Sendable {
    public enum Mode: UInt8, CaseIterable, Hashable, Sendable {
        /// Assay's own client data: challenge, purpose and payload.
        case clientData = 1
        /// The app's own client data, with the challenge at one configured place.
        case embedded = 2
        /// A hash that the caller vouches for.
        case callerOwned = 3

        public var name: String {
            switch self {
            case .clientData: "client_data"
            case .embedded: "embedded"
            case .callerOwned: "caller_owned"
            }
        }
    }

    public let mode: Mode
    /// What the platform signs over: SHA-256 of the client data, or the hash that the caller vouches for.
    public let clientDataHash: [UInt8]
    /// The bytes that a platform carries or signs without hashing them first: the client data, or what the caller vouches
    /// for.
    public let clientData: [UInt8]
    /// SHA-256 of the payload that is bound; `nil` where none is, or where only the caller knows.
    public let payloadHash: [UInt8]?

    /// Binding by Assay's own client data.
    public init(_ clientData: ClientData) {
        mode = .clientData
        self.clientData = clientData.bytes
        clientDataHash = SHA256.bytes(of: self.clientData)
        payloadHash = clientData.payloadHash
    }

    /// Binding by the app's own client data, in which the challenge was found.
    public init(embedded clientData: [UInt8]) {
        mode = .embedded
        self.clientData = clientData
        clientDataHash = SHA256.bytes(of: clientData)
        payloadHash = nil
    }

    /// Binding that the caller answers for. The hash is bytes; platforms do not enforce 32.
    public init(callerOwned hash: [UInt8]) {
        mode = .callerOwned
        clientData = hash
        clientDataHash = hash
        payloadHash = nil
    }
}
