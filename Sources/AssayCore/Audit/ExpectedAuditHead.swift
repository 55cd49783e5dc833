/// A head of the chain that was kept outside the ledger, as text: `HASH:NUMBER:START_HASH:START_NUMBER:TIME:SIGNATURE`, the form of
/// signed heads in status and log. Hashes are hexadecimal, TIME is in milliseconds since 1970, SIGNATURE is base64url. Heads of version
/// 1 lack the two start members. `HASH` and `HASH:NUMBER` are heads without a signature.
public struct ExpectedAuditHead: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let head: [UInt8]
    /// The number of the record; `nil`: any record may have the head.
    public let number: Int64?
    /// The chain before the first kept record, in a signed head of version 2; `nil` in others.
    public let start: AuditChain?
    /// Time and signature; `nil` in a head without a signature.
    public let seal: Seal?

    public struct Seal: Hashable, Sendable {
        public let time: Timestamp
        /// Ed25519, 64 bytes.
        public let signature: [UInt8]
    }

    public init(_ chain: AuditChain) { (head, number, start, seal) = (chain.head, chain.number, nil, nil) }

    public init(_ signed: SignedAuditHead) {
        (head, number, start) = (signed.chain.head, signed.chain.number, signed.start)
        seal = Seal(time: signed.time, signature: signed.signature)
    }

    /// `nil` unless the text has the form `HASH`, `HASH:NUMBER`, `HASH:NUMBER:TIME:SIGNATURE` or
    /// `HASH:NUMBER:START_HASH:START_NUMBER:TIME:SIGNATURE`.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard [1, 2, 4, 6].contains(parts.count), let first = parts.first, let head = Self.hash(first) else {
            return nil
        }
        self.head = head
        guard parts.count > 1 else {
            (number, start, seal) = (nil, nil, nil)
            return
        }
        guard let number = Self.number(parts[1]) else { return nil }
        self.number = number
        if parts.count == 6 {
            guard let head = Self.hash(parts[2]), let before = Self.number(parts[3]), before <= number else { return nil }
            start = AuditChain(number: before, head: head)
        } else {
            start = nil
        }
        guard parts.count > 2 else {
            seal = nil
            return
        }
        guard let time = Int64(parts[parts.count - 2]), let signature = Base64.url.decode(parts[parts.count - 1]),
            signature.count == 64
        else { return nil }
        seal = Seal(time: Timestamp(unixMilliseconds: time), signature: signature)
    }

    private static func hash(_ text: some StringProtocol) -> [UInt8]? {
        Hex.decode(text).flatMap { $0.count == 32 ? $0 : nil }
    }

    private static func number(_ text: some StringProtocol) -> Int64? { Int64(text).flatMap { $0 >= 0 ? $0 : nil } }

    /// The signed head; `nil` if there is no signature.
    public var signed: SignedAuditHead? {
        guard let number, let seal else { return nil }
        return SignedAuditHead(
            AuditChain(number: number, head: head), from: start, at: seal.time, signature: seal.signature)
    }

    public var description: String {
        if let signed { return signed.description }
        return Hex.encode(head) + (number.map { ":\($0)" } ?? "")
    }
}
