/// A head of the chain that somebody kept elsewhere, as text: the hash in hexadecimal digits, then, each behind a colon and as
/// far as they are known, the number of the record, the time in milliseconds since 1970 and the signature in base64url. That is
/// the form in which a daemon writes its signed heads into status and log.
public struct ExpectedAuditHead: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let head: [UInt8]
    /// `nil`: any record may have it.
    public let number: Int64?
    /// Time and signature, where the head came with them.
    public let seal: Seal?

    public struct Seal: Hashable, Sendable {
        public let time: Timestamp
        /// Ed25519, 64 bytes.
        public let signature: [UInt8]
    }

    public init(_ chain: AuditChain) { (head, number, seal) = (chain.head, chain.number, nil) }

    /// `nil` if the text is of none of the forms `HASH`, `HASH:NUMBER` and `HASH:NUMBER:TIME:SIGNATURE`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let first = parts.first, let head = Hex.decode(first), head.count == 32 else { return nil }
        self.head = head
        switch parts.count {
        case 1: (number, seal) = (nil, nil)
        case 2, 4:
            guard let number = Int64(parts[1]), number >= 0 else { return nil }
            self.number = number
            guard parts.count == 4 else {
                seal = nil
                return
            }
            guard let time = Int64(parts[2]), let signature = Base64.url.decode(parts[3]), signature.count == 64 else {
                return nil
            }
            seal = Seal(time: Timestamp(unixMilliseconds: time), signature: signature)
        default: return nil
        }
    }

    /// The signed head, where this is one.
    public var signed: SignedAuditHead? {
        guard let number, let seal else { return nil }
        return SignedAuditHead(AuditChain(number: number, head: head), at: seal.time, signature: seal.signature)
    }

    public var description: String {
        if let signed { return signed.description }
        return Hex.encode(head) + (number.map { ":\($0)" } ?? "")
    }
}
