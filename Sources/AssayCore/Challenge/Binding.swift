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

        public var name: String {
            switch self {
            case .clientData: "client_data"
            case .embedded: "embedded"
            case .callerOwned: "caller_owned"
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

    /// Binding for which the caller is responsible. The hash is bytes; platforms do not enforce 32.
    public init(callerOwned hash: [UInt8]) {
        mode = .callerOwned
        clientData = hash
        clientDataHash = hash
        payloadHash = nil
    }
}
