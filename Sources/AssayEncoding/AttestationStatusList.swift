package import AssayCore

/// Google's list of revoked attestation certificates (<https://android.googleapis.com/attestation/status>), read strictly:
///
///     {"entries": {"<serial>": {"status": "REVOKED" | "SUSPENDED", "reason": …, "comment": …, "expires": …}}}
///
/// A key is the certificate's serial number in hexadecimal without leading zeros, also where it has nothing but decimal digits,
/// and of odd length as often as not. What else stands in the document is not looked at.
package struct AttestationStatusList: Sendable {
    /// Longest word for a status or a reason, in bytes.
    private static let wordLimit = 64

    /// By serial number, an unsigned big-endian integer.
    package let entries: [[UInt8]: RevocationSnapshot.Entry]

    /// Bytes that are exactly one such list; how long it may be is for the caller to limit.
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
        for member in members.members {
            let digits = String(decoding: member.name, as: UTF8.self)
            guard let serial = SerialNumber.magnitude(hexadecimal: digits), !serial.isEmpty,
                case .object(let fields) = member.value
            else {
                throw AttestationStatusListError("an entry that is not a serial number and an object")
            }
            guard case .string(let status)? = fields["status".utf8], !status.isEmpty, status.count <= Self.wordLimit else {
                throw AttestationStatusListError("an entry without a status")
            }
            let entry = RevocationSnapshot.Entry(
                RevocationSnapshot.Status(text: String(decoding: status, as: UTF8.self)), reason: Self.reason(fields))
            // One number in two spellings: the worse of the two holds.
            if let other = entries[serial], other.status != .suspended { continue }
            entries[serial] = entry
        }
        self.entries = entries
    }

    /// The list's own word for why, if it gives one that is short enough to be one.
    private static func reason(_ fields: JSONObject) -> String {
        guard case .string(let reason)? = fields["reason".utf8], reason.count <= wordLimit else { return "" }
        return String(decoding: reason, as: UTF8.self)
    }
}

/// A document that is no such list. A sentence.
package struct AttestationStatusListError: Error, Hashable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
