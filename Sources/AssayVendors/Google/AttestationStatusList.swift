package import AssayCore

/// Google's list of revoked attestation certificates (<https://android.googleapis.com/attestation/status>):
///
///     {"entries": {"<serial>": {"status": "REVOKED" | "SUSPENDED", "reason": …, "comment": …, "expires": …}}}
///
/// A key is the certificate's serial number in hexadecimal without leading zeros, also if it consists of decimal digits; its
/// length may be odd. Other members of the document are ignored.
///
/// The document's structure must be that of JSON. Single entries may be odd: an entry whose serial number cannot be read names no
/// certificate and is left out, and one whose status cannot be read, stands twice, or is a word that is not documented, counts as
/// revoked: the list holds bad certificates only. Of several entries for one serial number the worst holds. Many unreadable entries
/// mean that the document is of another form, and it is refused.
package struct AttestationStatusList: Sendable {
    /// The member that holds the entries.
    private static let name: StaticString = "entries"
    /// Longest word for a status or a reason, in bytes.
    private static let wordLimit = 64
    /// The list is refused when at least this many entries, and more than `unreadablePercent` of all, are unreadable.
    package static let unreadableLimit = 20
    package static let unreadablePercent = 1

    /// The number 0 has no entry.
    package let entries: [RevocationSnapshot.Serial: RevocationSnapshot.Entry]
    package let oddEntries: RevocationSnapshot.OddEntries

    /// Reads exactly one list. The caller limits its length.
    package init(parsing document: ArraySlice<UInt8>) throws(AttestationStatusListError) {
        let lists = try Self.lists(document)
        let members = lists.flatMap(\.members)
        var entries: [RevocationSnapshot.Serial: RevocationSnapshot.Entry] = [:]
        entries.reserveCapacity(members.count)
        var (unreadable, unnamed, unknown, example) = (lists.count - 1, 0, 0, lists.count > 1 ? "\(Self.name)" : "")
        for member in members {
            let serial = SerialNumber.magnitude(utf8: member.name).map(RevocationSnapshot.Serial.init)
            let read = Self.entry(member.value)
            let other = serial.flatMap { entries[$0] }
            if serial?.magnitude.isEmpty != false || read == nil || other != nil {
                if unreadable == 0 { example = Self.visible(member.name) }
                unreadable += 1
            }
            guard let serial, !serial.magnitude.isEmpty else {
                unnamed += 1
                continue
            }
            if case .other? = read?.status { unknown += 1 }
            // One number in two entries: the worse of the two holds.
            if let other, other.status != .suspended { continue }
            entries[serial] = read ?? RevocationSnapshot.Entry(.unreadable)
        }
        guard unreadable < Self.unreadableLimit || unreadable * 100 <= members.count * Self.unreadablePercent else {
            throw AttestationStatusListError(
                "\(unreadable) of \(members.count) entries cannot be read, such as \"\(example)\"")
        }
        // A list with more unreadable numbers than readable ones would accept nearly every revoked certificate.
        guard unnamed <= entries.count else {
            throw AttestationStatusListError(
                "\(unnamed) of \(members.count) serial numbers cannot be read, such as \"\(example)\"")
        }
        self.entries = entries
        oddEntries = .init(unreadable: unreadable, unknownStatus: unknown, example: example)
    }

    /// The lists of entries in the document: one or more. More are one list: other readers see the first or the last, and no
    /// certificate that one of them refuses may pass here.
    private static func lists(_ document: ArraySlice<UInt8>) throws(AttestationStatusListError) -> [JSONObject] {
        let value: JSONValue
        do throws(Rejection) {
            value = try JSONReader.parseLenient(document, code: .malformedToken)
        } catch {
            throw AttestationStatusListError(error.detail)
        }
        guard case .object(let top) = value else { throw AttestationStatusListError("not a JSON object") }
        var lists: [JSONObject] = []
        for value in top.all(name) {
            guard case .object(let list) = value else { throw AttestationStatusListError("\"\(name)\" is not an object") }
            lists.append(list)
        }
        guard !lists.isEmpty else { throw AttestationStatusListError("no member \"\(name)\"") }
        return lists
    }

    /// `nil` for what is no object with one readable status.
    private static func entry(_ value: JSONValue) -> RevocationSnapshot.Entry? {
        guard case .object(let fields) = value, let status = word("status", of: fields), !status.isEmpty else { return nil }
        // The list's own word for why, if it gives one that is short enough to be one.
        return RevocationSnapshot.Entry(RevocationSnapshot.Status(text: status), reason: word("reason", of: fields) ?? "")
    }

    /// A text of at most `wordLimit` bytes that can be read and stands once.
    private static func word(_ name: StaticString, of fields: JSONObject) -> String? {
        let values = fields.all(name)
        guard values.count == 1, case .string(let text)? = values.first, text.count <= wordLimit else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// The printable form of a serial number from outside.
    private static func visible(_ name: [UInt8]) -> String {
        String(decoding: name.prefix(40).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

/// The document is not a revocation list. The description is a sentence.
package struct AttestationStatusListError: Error, Hashable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
