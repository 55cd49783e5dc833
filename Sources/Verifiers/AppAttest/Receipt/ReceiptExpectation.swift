package import AssayCore

/// What a receipt is held against. What is `nil` is not compared.
package struct ReceiptExpectation: Sendable {
    /// SHA-256 of the App ID, as in authenticator data.
    package var rpIDHash: [UInt8]
    /// The attested key as an uncompressed X9.63 point.
    package var publicKey: [UInt8]?
    package var kind: Receipt.Kind?
    package var environment: AppAttestEnvironment?
    /// Compared with an ATTEST only: in a RECEIPT the hash was seen damaged by Apple's service.
    package var clientDataHash: [UInt8]?
    /// How long ago an arriving receipt may have been made, in milliseconds.
    package var maxAgeMilliseconds: Int64?

    package init(
        rpIDHash: [UInt8], publicKey: [UInt8]? = nil, kind: Receipt.Kind? = nil, environment: AppAttestEnvironment? = nil,
        clientDataHash: [UInt8]? = nil, maxAgeMilliseconds: Int64? = nil
    ) {
        self.rpIDHash = rpIDHash
        self.publicKey = publicKey
        self.kind = kind
        self.environment = environment
        self.clientDataHash = clientDataHash
        self.maxAgeMilliseconds = maxAgeMilliseconds
    }
}

/// When a receipt is judged. Its signer's certificate may end before the receipt does, and soon after it.
package enum ReceiptMoment: Hashable, Sendable {
    /// It comes now: its certificates must be valid now and at its creation time, and it must be neither old nor expired.
    case arriving(Timestamp)
    /// It came before and was kept: its certificates must have been valid at its creation time.
    case stored
}
