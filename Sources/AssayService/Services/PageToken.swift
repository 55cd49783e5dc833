import AssayAPI
import AssayCore

/// Where a listing continues: the position, and 8 bytes of a digest of the listing, so that a token of another listing is refused.
/// A token is not secret, and a forged one shows no more than a genuine one.
struct PageToken {
    private static let markLength = 8
    let bytes: [UInt8]

    /// `listing` covers the whole request except the position and the page size.
    private init(position: [UInt8], of listing: FieldDigest) { bytes = position + Self.mark(of: listing) }

    /// `nil` unless `bytes` are a token of this listing.
    private static func position(in bytes: [UInt8], of listing: FieldDigest) -> [UInt8]? {
        guard bytes.count >= markLength, bytes.suffix(markLength) == mark(of: listing)[...] else { return nil }
        return Array(bytes.dropLast(markLength))
    }

    private static func mark(of listing: FieldDigest) -> [UInt8] { Array(listing.finalize().prefix(markLength)) }
}

/// A listing whose records have a number: the position is 8 bytes, big-endian.
protocol NumberedListing {
    /// Covers the whole request except the position and the page size.
    var fields: FieldDigest { get }
    var position: Int64 { get set }
}

extension NumberedListing {
    /// The same listing from where a page ended. Throws for the token of another listing.
    ///
    /// - Parameter token: the field `page_token`; empty for the first page.
    func continued(by token: some Collection<UInt8>) throws(RequestError) -> Self {
        let token = try token.bounded("page_token", by: PageToken.positionLength)
        guard !token.isEmpty else { return self }
        guard let position = PageToken.position(in: token, of: self) else { throw .foreignPageToken }
        var rest = self
        rest.position = position
        return rest
    }
}

extension PageToken {
    static let positionLength = 8 + markLength

    init(position: Int64, of listing: some NumberedListing) {
        self.init(position: withUnsafeBytes(of: position.bigEndian) { Array($0) }, of: listing.fields)
    }

    static func position(in bytes: [UInt8], of listing: some NumberedListing) -> Int64? {
        guard let position = position(in: bytes, of: listing.fields), position.count == 8 else { return nil }
        return Int64(exactly: position.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

extension DeviceListing: NumberedListing {
    var fields: FieldDigest {
        var digest = FieldDigest("assay.device-listing.v1")
        digest.append(app.text)
        digest.append(subject ?? [])
        digest.append(isBlocked.map { $0 ? "blocked" : "active" } ?? "")
        // Left out without a flag, so that tokens of listings from before there were flags go on.
        if let flag { digest.append(flag.name) }
        return digest
    }
}

extension CertificateListing: NumberedListing {
    var fields: FieldDigest {
        var digest = FieldDigest("assay.certificate-listing.v1")
        digest.append(app.text)
        digest.append(device?.bytes ?? [])
        digest.append(isRevoked.map { $0 ? "revoked" : "good" } ?? "")
        if let deviceSerial { digest.append(deviceSerial) }
        return digest
    }
}

extension EnrolmentListing: NumberedListing {
    var fields: FieldDigest {
        var digest = FieldDigest("assay.enrolment-listing.v1")
        digest.append(app.text)
        digest.append(isUsed.map { $0 ? "used" : "unused" } ?? "")
        return digest
    }
}

extension PolicyListing: NumberedListing {
    var fields: FieldDigest {
        var digest = FieldDigest("assay.policy-listing.v1")
        digest.append(app?.text ?? "")
        return digest
    }
}

/// The position of a block as one byte for its kind, and the bytes of its target, of which a key id is the longest.
extension PageToken {
    static let blockLengthLimit = 1 + DeviceKey.keyIDLimit + markLength

    init(position: BlockPosition, of listing: BlockListing) {
        self.init(position: [position.kind.rawValue] + position.bytes, of: Self.digest(of: listing))
    }

    static func position(in bytes: [UInt8], of listing: BlockListing) -> BlockPosition? {
        guard let position = position(in: bytes, of: digest(of: listing)),
            let kind = position.first.flatMap(BlockKind.init)
        else { return nil }
        return BlockPosition(kind, Array(position.dropFirst()))
    }

    private static func digest(of listing: BlockListing) -> FieldDigest {
        var digest = FieldDigest("assay.block-listing.v1")
        digest.append(listing.app.text)
        switch listing.choice {
        case .all: digest.append("all")
        case .kind(let kind):
            digest.append("kind")
            digest.append([kind.rawValue])
        case .target(let target):
            digest.append("target")
            digest.append([target.kind.rawValue])
            digest.append(target.position.bytes)
        }
        return digest
    }
}

/// The position of a verdict record as its time and its number, 8 bytes each, big-endian.
extension PageToken {
    static let recordLength = 16 + markLength

    init(position: VerdictRecordPosition, of listing: VerdictRecordListing) {
        self.init(position: Self.bytes(position), of: listing.fields)
    }

    private static func bytes(_ position: VerdictRecordPosition) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in [position.time.unixMilliseconds, position.number] {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    init(position: VerdictRecordPosition, of listing: RecordingListing) {
        self.init(position: Self.bytes(position), of: listing.fields)
    }

    /// `nil` unless the bytes are a token of the listing with these fields.
    fileprivate static func recordPosition(in bytes: [UInt8], of fields: FieldDigest) -> VerdictRecordPosition? {
        guard let position = position(in: bytes, of: fields), position.count == 16 else { return nil }
        func number(_ bytes: some Sequence<UInt8>) -> Int64 {
            Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        return VerdictRecordPosition(
            time: Timestamp(unixMilliseconds: number(position.prefix(8))), number: number(position.suffix(8)))
    }
}

extension VerdictRecordListing {
    fileprivate var fields: FieldDigest {
        var digest = FieldDigest("assay.verdict-listing.v1")
        digest.append(app?.text ?? "")
        digest.append(caller ?? "")
        digest.append(device?.bytes ?? [])
        digest.append(subject ?? [])
        digest.append(reason ?? "")
        digest.append(decision?.name ?? "")
        if wouldReject { digest.append("would_reject") }
        digest.append(since.map { "\($0.unixMilliseconds)" } ?? "")
        digest.append(until.map { "\($0.unixMilliseconds)" } ?? "")
        return digest
    }

    /// The same listing from where a page ended. Throws for the token of another listing.
    ///
    /// - Parameter token: the field `page_token`; empty for the first page.
    func continued(by token: some Collection<UInt8>) throws(RequestError) -> Self {
        let token = try token.bounded("page_token", by: PageToken.recordLength)
        guard !token.isEmpty else { return self }
        guard let position = PageToken.recordPosition(in: token, of: fields) else { throw .foreignPageToken }
        var rest = self
        rest.after = position
        return rest
    }
}

extension RecordingListing {
    fileprivate var fields: FieldDigest {
        var digest = FieldDigest("assay.recording-listing.v1")
        digest.append(app?.text ?? "")
        digest.append(since.map { "\($0.unixMilliseconds)" } ?? "")
        digest.append(until.map { "\($0.unixMilliseconds)" } ?? "")
        return digest
    }

    /// The same listing from where a page ended. Throws for the token of another listing.
    ///
    /// - Parameter token: the field `page_token`; empty for the first page.
    func continued(by token: some Collection<UInt8>) throws(RequestError) -> Self {
        let token = try token.bounded("page_token", by: PageToken.recordLength)
        guard !token.isEmpty else { return self }
        guard let position = PageToken.recordPosition(in: token, of: fields) else { throw .foreignPageToken }
        var rest = self
        rest.after = position
        return rest
    }
}

/// How many records a page of a listing has: by default, and at most.
struct PageSize {
    let usual: UInt32
    let longest: UInt32

    /// The field `page_size`; 0 asks for the usual number.
    func limit(_ field: UInt32) throws(RequestError) -> Int {
        guard field <= longest else { throw RequestError("page_size", "must be at most \(longest)") }
        return Int(field == 0 ? usual : field)
    }
}
