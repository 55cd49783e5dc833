import Crypto

/// A head of the chain with the time at which the ledger's key signed it (Ed25519, RFC 8032): kept elsewhere, it proves later
/// that nothing up to it was changed since, even where whoever kept it is not to be believed.
public struct SignedAuditHead: Hashable, Sendable {
    public let chain: AuditChain
    public let time: Timestamp
    /// 64 bytes.
    public let signature: [UInt8]

    public init(_ chain: AuditChain, at time: Timestamp, signature: [UInt8]) {
        (self.chain, self.time, self.signature) = (chain, time, signature)
    }

    /// What is signed: SHA-256 over the label `assay.audit.head.v1`, number, head and time, each behind its length
    /// (`FieldDigest`).
    public static func message(_ chain: AuditChain, at time: Timestamp) -> [UInt8] {
        var hash = FieldDigest("assay.audit.head.v1")
        hash.append(UInt64(bitPattern: chain.number))
        hash.append(chain.head)
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        return hash.finalize()
    }

    /// - Parameter publicKey: 32 bytes; anything else verifies nothing.
    public func isSigned(by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: Self.message(chain, at: time))
    }
}

extension SignedAuditHead: CustomStringConvertible {
    /// The form that `ExpectedAuditHead` reads.
    public var description: String {
        "\(Hex.encode(chain.head)):\(chain.number):\(time.unixMilliseconds):\(Base64.url.encode(signature))"
    }
}
