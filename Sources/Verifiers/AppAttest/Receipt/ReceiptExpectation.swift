package import AssayCore

/// The expected values of a receipt. A `nil` value is not compared.
package struct ReceiptExpectation: Sendable {
    /// SHA-256 of the App ID, as in authenticator data.
    package var rpIDHash: [UInt8]
    /// The attested key as an uncompressed X9.63 point.
    package var publicKey: [UInt8]?
    package var kind: Receipt.Kind?
    package var environment: AppAttestEnvironment?
    /// Compared with an ATTEST only: in a RECEIPT the hash was seen damaged by Apple's service.
    package var clientDataHash: [UInt8]?
    /// The greatest age of an arriving receipt, in milliseconds.
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

/// The time at which a receipt is appraised. Its signer's certificate may expire before the receipt does, and soon after it.
package enum ReceiptMoment: Hashable, Sendable {
    /// At arrival: its certificates must be valid now and at its creation time, and it must be neither too old nor expired.
    case arriving(Timestamp)
    /// Stored since an earlier arrival: its certificates must have been valid at its creation time.
    case stored
}
