package import AssayCore
import Crypto

/// Google's list of attestation certificates that are revoked or suspended, as
/// <https://android.googleapis.com/attestation/status> serves it:
///
///     {"entries": {"<serial>": {"status": "REVOKED", "reason": "KEY_COMPROMISE", …}, …}}
///
/// A serial number is lower-case hexadecimal without leading zeros, also where it has an odd number of digits or none but
/// decimal ones. Unknown members are ignored; an unknown status counts as revoked.
package struct AttestationStatusList: Sendable {
    /// The largest list that is read, in bytes. That of 2026 has some hundred kilobytes.
    package static let sizeLimit = 8 << 20
    /// The longest serial number, in bytes (RFC 5280 §4.1.2.2).
    static let serialLimit = 20

    /// By serial number, an unsigned big-endian integer.
    package let entries: [[UInt8]: RevocationSnapshot.Entry]
    /// Names the version: the first 16 hex digits of the SHA-256 of the text.
    package let id: String

    /// Throws `FeedProblem.malformed` for anything but such a list. An empty list is one.
    package init(parsing text: [UInt8]) throws(FeedProblem) {
        guard text.count <= Self.sizeLimit else { throw .malformed("the list has more than \(Self.sizeLimit) bytes") }
        do throws(Rejection) {
            entries = try Self.entries(text[...])
        } catch {
            throw .malformed(error.detail)
        }
        id = Hex.encode(SHA256.bytes(of: text).prefix(8))
    }

    private static func entries(_ text: ArraySlice<UInt8>) throws(Rejection) -> [[UInt8]: RevocationSnapshot.Entry] {
        guard case .object(let list) = try JSONReader.parse(text, code: .malformedToken),
            case .object(let listed)? = list["entries".utf8]
        else { throw malformed("want an object with \"entries\"") }
        var entries: [[UInt8]: RevocationSnapshot.Entry] = [:]
        entries.reserveCapacity(listed.members.count)
        for member in listed.members {
            guard case .object(let entry) = member.value, case .string(let status)? = entry["status".utf8] else {
                throw malformed("an entry without a status")
            }
            entries[try serial(member.name)] = RevocationSnapshot.Entry(
                RevocationSnapshot.Status(text: word(status)), reason: reason(entry))
        }
        return entries
    }

    /// Digits in whatever case, with or without leading zeros: a list that is written otherwise than documented revokes all the
    /// same.
    private static func serial(_ name: [UInt8]) throws(Rejection) -> [UInt8] {
        let digits = name.drop { $0 == UInt8(ascii: "0") }
        let even = (digits.count % 2 == 0 ? "" : "0") + String(decoding: digits, as: UTF8.self)
        guard !digits.isEmpty, digits.count <= 2 * serialLimit, let serial = Hex.decode(even.lowercased()) else {
            throw malformed("an entry whose name is no serial number in hexadecimal")
        }
        return serial
    }

    private static func reason(_ entry: JSONObject) -> String {
        guard case .string(let reason)? = entry["reason".utf8] else { return "" }
        return word(reason)
    }

    /// Words are short; what is longer is cut.
    private static func word(_ text: [UInt8]) -> String { String(decoding: text.prefix(64), as: UTF8.self) }

    private static func malformed(_ detail: String) -> Rejection { Rejection(.malformedToken, detail) }
}
