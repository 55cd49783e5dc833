/// A head of the chain that somebody kept elsewhere, as text: the hash in hexadecimal digits, then, each behind a colon and as
/// far as they are known, the number of the record, the hash and the number of the record after which the log began, the time in
/// milliseconds since 1970 and the signature in base64url. That is the form in which a daemon writes its signed heads into
/// status and log; heads of version 1 are without the two members of the start.
public struct ExpectedAuditHead: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    public let head: [UInt8]
    /// `nil`: any record may have it.
    public let number: Int64?
    /// Where the log began, in a signed head of version 2.
    public let start: AuditChain?
    /// Time and signature, where the head came with them.
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

    /// `nil` if the text is of none of the forms `HASH`, `HASH:NUMBER`, `HASH:NUMBER:TIME:SIGNATURE` and
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

    /// The signed head, where this is one.
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
