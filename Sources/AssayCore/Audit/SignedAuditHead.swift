import Crypto

/// A head of the chain with the time at which the ledger's key signed it (Ed25519, RFC 8032): kept elsewhere, it proves later
/// that nothing up to it was changed since, even where whoever kept it is not to be believed.
public struct SignedAuditHead: Hashable, Sendable {
    public let chain: AuditChain
    /// Where the log began when the head was signed: the number of the last record that had been dropped from its front, which
    /// is how many had been, and the hash before the first record that was kept. `nil` in a head of version 1, which says
    /// nothing of it.
    public let start: AuditChain?
    public let time: Timestamp
    /// 64 bytes.
    public let signature: [UInt8]

    public init(_ chain: AuditChain, from start: AuditChain?, at time: Timestamp, signature: [UInt8]) {
        (self.chain, self.start, self.time, self.signature) = (chain, start, time, signature)
    }

    /// What is signed in version 1: SHA-256 over the label `assay.audit.head.v1`, number, head and time, each behind its length
    /// (`FieldDigest`). In version 2: over the label `assay.audit.head.v2`, number, head, the number and the hash of the start,
    /// and time.
    ///
    /// - Parameter start: `nil` for version 1.
    public static func message(_ chain: AuditChain, from start: AuditChain?, at time: Timestamp) -> [UInt8] {
        var hash = FieldDigest(start == nil ? "assay.audit.head.v1" : "assay.audit.head.v2")
        hash.append(UInt64(bitPattern: chain.number))
        hash.append(chain.head)
        if let start {
            hash.append(UInt64(bitPattern: start.number))
            hash.append(start.head)
        }
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        return hash.finalize()
    }

    /// - Parameter publicKey: 32 bytes; anything else verifies nothing.
    public func isSigned(by publicKey: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: Self.message(chain, from: start, at: time))
    }
}

extension SignedAuditHead: CustomStringConvertible {
    /// The form that `ExpectedAuditHead` reads.
    public var description: String {
        let start = start.map { ":\(Hex.encode($0.head)):\($0.number)" } ?? ""
        return
            "\(Hex.encode(chain.head)):\(chain.number)\(start):\(time.unixMilliseconds):\(Base64.url.encode(signature))"
    }
}
