package import AssayCore

/// Google's list of revoked attestation certificates (<https://android.googleapis.com/attestation/status>), read strictly:
///
///     {"entries": {"<serial>": {"status": "REVOKED" | "SUSPENDED", "reason": …, "comment": …, "expires": …}}}
///
/// A key is the certificate's serial number in hexadecimal without leading zeros, also if it consists of decimal digits; its
/// length may be odd. Other members of the document are ignored.
///
/// The document must be strict JSON. Single entries may be odd: an entry with an unreadable serial number names no certificate
/// and is left out, and one with an unreadable or undocumented status counts as revoked, since the list contains only bad
/// certificates. Many unreadable entries mean that the document has another format, and it is refused.
package struct AttestationStatusList: Sendable {
    /// The longest status or reason, in bytes.
    private static let wordLimit = 64
    /// The list is refused when at least this many entries, and more than `unreadablePercent` of all, are unreadable.
    package static let unreadableLimit = 20
    package static let unreadablePercent = 1

    /// By serial number, an unsigned big-endian integer.
    package let entries: [[UInt8]: RevocationSnapshot.Entry]
    package let oddEntries: RevocationSnapshot.OddEntries

    /// Reads exactly one list. The caller limits its length.
    package init(parsing document: ArraySlice<UInt8>) throws(AttestationStatusListError) {
        let list: JSONValue
        do throws(Rejection) {
            list = try JSONReader.parse(document, code: .malformedToken)
        } catch {
            throw AttestationStatusListError(error.detail)
        }
        guard case .object(let top) = list, case .object(let members)? = top["entries".utf8] else {
            throw AttestationStatusListError("no member \"entries\"")
        }
        var entries: [[UInt8]: RevocationSnapshot.Entry] = [:]
        var (unreadable, unnamed, unknown, example) = (0, 0, 0, "")
        for member in members.members {
            let serial = SerialNumber.magnitude(hexadecimal: String(decoding: member.name, as: UTF8.self))
            let read = Self.entry(member.value)
            if serial?.isEmpty != false || read == nil {
                if unreadable == 0 { example = Self.visible(member.name) }
                unreadable += 1
            }
            guard let serial, !serial.isEmpty else {
                unnamed += 1
                continue
            }
            if case .other? = read?.status { unknown += 1 }
            // One number in two spellings: the worse status applies.
            if let other = entries[serial], other.status != .suspended { continue }
            entries[serial] = read ?? RevocationSnapshot.Entry(.unreadable)
        }
        guard unreadable < Self.unreadableLimit || unreadable * 100 <= members.members.count * Self.unreadablePercent else {
            throw AttestationStatusListError(
                "\(unreadable) of \(members.members.count) entries cannot be read, such as \"\(example)\"")
        }
        // A list with more unreadable numbers than readable ones would accept nearly every revoked certificate.
        guard unnamed <= entries.count else {
            throw AttestationStatusListError(
                "\(unnamed) of \(members.members.count) serial numbers cannot be read, such as \"\(example)\"")
        }
        self.entries = entries
        oddEntries = .init(unreadable: unreadable, unknownStatus: unknown, example: example)
    }

    /// `nil` unless the value is an object with a status.
    private static func entry(_ value: JSONValue) -> RevocationSnapshot.Entry? {
        guard case .object(let fields) = value, case .string(let status)? = fields["status".utf8],
            (1...wordLimit).contains(status.count)
        else { return nil }
        return RevocationSnapshot.Entry(
            RevocationSnapshot.Status(text: String(decoding: status, as: UTF8.self)), reason: reason(fields))
    }

    /// The printable form of a serial number from outside.
    private static func visible(_ name: [UInt8]) -> String {
        String(decoding: name.prefix(40).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The list's own reason, if it is a short text.
    private static func reason(_ fields: JSONObject) -> String {
        guard case .string(let reason)? = fields["reason".utf8], reason.count <= wordLimit else { return "" }
        return String(decoding: reason, as: UTF8.self)
    }
}

/// The document is not a revocation list. The description is a sentence.
package struct AttestationStatusListError: Error, Hashable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
