package import AssayCore
import AssayEncoding
import Crypto

/// A certificate revocation list of version 2 (RFC 5280 §5), parsed by walking its DER. It is complete for its issuer: delta lists, lists
/// of a part and lists of several issuers are refused, since their extensions are critical and not understood here.
package struct CertificateRevocationList: Sendable {
    /// The longest list that is read, in bytes.
    package static let sizeLimit = 8 << 20
    /// The most entries that are read: more do not fit into the bytes with serial numbers of 16 bytes.
    package static let entryLimit = 250_000
    /// Extensions of the list, or of one entry.
    private static let extensionLimit = 16

    package let issuer: DistinguishedName
    package let thisUpdate: Timestamp
    /// RFC 5280 §5.1.2.5 demands it.
    package let nextUpdate: Timestamp
    /// The CRL number (§5.2.3) as an unsigned big-endian integer; `nil` if the list has none.
    package let number: [UInt8]?
    /// The content of the list: by serial number, an unsigned big-endian integer without leading zeros.
    package let entries: [[UInt8]: RevocationSnapshot.Entry]
    /// The revocationDate of each entry, by the same serial numbers.
    package let times: [[UInt8]: Timestamp]

    private let signedPart: ArraySlice<UInt8>
    private let signatureAlgorithm: SignatureAlgorithm
    private let signature: ArraySlice<UInt8>
    private let der: ArraySlice<UInt8>

    /// Reads a file: one list in DER, or one PEM block `X509 CRL` and nothing else. Throws `malformed`.
    package init(file: [UInt8]) throws(Rejection) {
        guard file.count <= Self.sizeLimit * 3 / 2 else { throw Rejection(.malformed, "a list of \(file.count) bytes") }
        // 0x30 is the identifier of a SEQUENCE, and not the beginning of PEM.
        guard file.first != 0x30 else {
            try self.init(der: file[...])
            return
        }
        let blocks = try PEM.decode(String(decoding: file, as: UTF8.self), label: "X509 CRL", code: .malformed)
        guard blocks.count == 1, let der = blocks.first else {
            throw Rejection(.malformed, "\(blocks.count) lists in one file")
        }
        try self.init(der: der[...])
    }

    /// Reads exactly one list. Throws `malformed`.
    package init(der: ArraySlice<UInt8>) throws(Rejection) {
        guard der.count <= Self.sizeLimit else { throw Rejection(.malformed, "a list of \(der.count) bytes") }
        var outer = DERReader(der, code: .malformed)
        var list = DERReader(try outer.content(.sequence), code: .malformed)
        try outer.finish("the list")
        let signedElement = try list.element(.sequence)
        let outerAlgorithm = try AlgorithmIdentifier(from: &list)
        signature = try list.bitString()
        try list.finish("the signature")

        var fields = DERReader(signedElement.content, code: .malformed)
        guard try fields.smallInteger() == 1 else { throw Rejection(.malformed, "not a list of version 2") }
        let innerAlgorithm = try AlgorithmIdentifier(from: &fields)
        guard innerAlgorithm.der == outerAlgorithm.der else {
            throw Rejection(.malformed, "signature algorithms inside and outside differ")
        }
        issuer = try DistinguishedName(from: &fields)
        thisUpdate = try Validity.time(&fields)
        nextUpdate = try Validity.time(&fields)
        var (entries, times) = ([[UInt8]: RevocationSnapshot.Entry](), [[UInt8]: Timestamp]())
        if let list = try fields.optional(.sequence) {
            try Self.entries(list.content) { (serial, entry, time) in
                times[serial] = time
                return entries.updateValue(entry, forKey: serial) == nil
            }
        }
        (self.entries, self.times) = (entries, times)
        number = try fields.optional(.context(0)).flatMap { (element) throws(Rejection) in try Self.number(in: element.content)
        }
        try fields.finish("the list's fields")
        self.der = der
        signedPart = signedElement.encoded
        signatureAlgorithm = SignatureAlgorithm(innerAlgorithm)
    }

    /// `revokedCertificates` (§5.1.2.6). An empty list is left out, never written.
    ///
    /// - Parameter insert: takes an entry, and returns false if its serial number was there before.
    private static func entries(
        _ content: ArraySlice<UInt8>, insert: ([UInt8], RevocationSnapshot.Entry, Timestamp) -> Bool
    ) throws(Rejection) {
        var reader = DERReader(content, code: .malformed)
        var count = 0
        repeat {
            guard count < entryLimit else { throw reader.rejection("more than \(entryLimit) entries") }
            count += 1
            let (serial, entry, time) = try reader.sequence { fields throws(Rejection) in
                let serial = try fields.integer()
                guard serial.first.map({ $0 & 0x80 == 0 }) ?? false, serial.count <= 21 else {
                    throw fields.rejection("a serial number that is negative or too long")
                }
                let time = try Validity.time(&fields)
                var reason: Int?
                if !fields.isAtEnd { reason = try Self.reason(&fields) }
                return (SerialNumber.magnitude(Array(serial)), try Self.entry(reason), time)
            }
            guard insert(serial, entry, time) else { throw reader.rejection("one serial number twice") }
        } while !reader.isAtEnd
    }

    /// CRLReason (§5.3.1). A certificate on hold counts as suspended.
    private static func entry(_ reason: Int?) throws(Rejection) -> RevocationSnapshot.Entry {
        switch reason {
        case nil: .init(.revoked)
        case 6?: .init(.suspended, reason: "certificateHold")
        case let number?:
            if let known = UInt8(exactly: number).flatMap(RevocationReason.init(rawValue:)) {
                .init(.revoked, reason: known.name)
            } else {
                // 8, removeFromCRL, stands in delta lists only; 7 and numbers above 10 are not in use.
                throw Rejection(.malformed, "an entry with the reason \(number)")
            }
        }
    }

    private static func reason(_ fields: inout DERReader) throws(Rejection) -> Int? {
        var reason: Int?
        try extensions(try fields.content(.sequence)) { (oid, isCritical, value) throws(Rejection) in
            guard oid == .crlReason else {
                guard !isCritical else { throw Rejection(.malformed, "unknown critical extension \(oid) of an entry") }
                return
            }
            reason = try DERReader.parse(value, code: .malformed) { (reader) throws(Rejection) in
                let content = try reader.content(.enumerated)
                guard content.count == 1, let number = content.first else { throw reader.rejection("a reason of no octet") }
                return Int(number)
            }
        }
        return reason
    }

    private static func number(in content: ArraySlice<UInt8>) throws(Rejection) -> [UInt8]? {
        var number: [UInt8]?
        var wrapper = DERReader(content, code: .malformed)
        let list = try wrapper.content(.sequence)
        try wrapper.finish("the extensions")
        try extensions(list) { (oid, isCritical, value) throws(Rejection) in
            guard oid == .crlNumber else {
                guard !isCritical else { throw Rejection(.malformed, "unknown critical extension \(oid)") }
                return
            }
            number = try DERReader.parse(value, code: .malformed) { (reader) throws(Rejection) in
                let number = try reader.integer()
                guard number.first.map({ $0 & 0x80 == 0 }) ?? false, number.count <= 21 else {
                    throw reader.rejection("a list's number that is negative or too long")
                }
                return SerialNumber.magnitude(Array(number))
            }
        }
        return number
    }

    /// At least one extension, and none twice.
    private static func extensions(
        _ content: ArraySlice<UInt8>, _ body: (OID, Bool, ArraySlice<UInt8>) throws(Rejection) -> Void
    ) throws(Rejection) {
        var reader = DERReader(content, code: .malformed)
        var seen: Set<OID> = []
        repeat {
            var used: CertificateLeniencies = []
            let next = try CertificateExtension(from: &reader, leniencies: [], used: &used)
            guard seen.count < extensionLimit, seen.insert(next.oid).inserted else {
                throw reader.rejection("an extension twice, or more than \(extensionLimit)")
            }
            try body(next.oid, next.isCritical, next.value)
        } while !reader.isAtEnd
    }
}

extension CertificateRevocationList {
    /// Checks that a CA issued the list: its name, and its signature (§6.3.3 (f), (g)). Throws `untrusted_root` or `bad_signature`.
    package func verify(by anchor: TrustAnchor) throws(Rejection) {
        guard issuer == anchor.subject else { throw Rejection(.untrustedRoot, "the list is of another CA") }
        try anchor.key.verify(signature, by: signatureAlgorithm, over: signedPart)
    }

    /// The list in the form in which verifiers look certificates up.
    ///
    /// - Parameter name: of the feed.
    package func snapshot(named name: String) -> RevocationSnapshot {
        let digest = Array(der.withUnsafeBytes { SHA256.hash(bytes: $0) })
        let id = Hex.encode(digest.prefix(8))
        return RevocationSnapshot(feed: FeedVersion(name: name, id: id, asOf: thisUpdate), entries: entries)
    }
}

extension OID {
    fileprivate static let crlNumber = OID(2, 5, 29, 20)
    fileprivate static let crlReason = OID(2, 5, 29, 21)
}
