/// One version of a revocation list, by serial number.
///
/// A class: all requests during one version share it.
public final class RevocationSnapshot: Sendable {
    public enum Status: Hashable, Sendable {
        case revoked
        case suspended
        /// A status that this version does not know; it counts as revoked.
        case other(String)

        /// The status of an entry whose status cannot be read. It counts as revoked.
        public static let unreadable = Status.other("UNREADABLE")

        /// The text in lists.
        public var text: String {
            switch self {
            case .revoked: "REVOKED"
            case .suspended: "SUSPENDED"
            case .other(let word): word
            }
        }

        public init(text: String) {
            if text.hasBytes(of: Self.revoked.text) {
                self = .revoked
            } else if text.hasBytes(of: Self.suspended.text) {
                self = .suspended
            } else {
                self = .other(text)
            }
        }
    }

    public struct Entry: Hashable, Sendable {
        public let status: Status
        /// The list's own reason; empty if it gives none.
        public let reason: String
        public init(_ status: Status, reason: String = "") { (self.status, self.reason) = (status, reason) }
    }

    /// Entries that are not of the documented form. The list is used without them.
    public struct OddEntries: Hashable, Sendable {
        /// Entries without a readable serial number or status, and each further entry of one serial number. Where the serial number
        /// can be read but not the status, the entry counts as revoked; without a serial number it names no certificate and is left
        /// out; of several for one number the worst holds.
        public let unreadable: Int
        /// Entries with a status that this version does not know. They count as revoked.
        public let unknownStatus: Int
        /// The serial number of the first unreadable entry, at most 40 visible ASCII characters; empty if there is none.
        public let example: String

        public static let none = OddEntries(unreadable: 0, unknownStatus: 0, example: "")

        public init(unreadable: Int, unknownStatus: Int, example: String) {
            (self.unreadable, self.unknownStatus, self.example) = (unreadable, unknownStatus, example)
        }
    }

    /// The name and version of the list.
    public let feed: FeedVersion
    public let oddEntries: OddEntries
    /// By serial number: an unsigned big-endian integer without leading zeros.
    private let entries: [Serial: Entry]
    /// The serial numbers in ascending order as integers. Sorted once: clients read a list page by page.
    private let order: [Serial]

    public convenience init(feed: FeedVersion, entries: [[UInt8]: Entry], oddEntries: OddEntries = .none) {
        let entries = Dictionary(entries.map { (Serial($0.key), $0.value) }, uniquingKeysWith: Self.worse)
        self.init(feed: feed, bySerial: entries, oddEntries: oddEntries)
    }

    package convenience init(feed: FeedVersion, bySerial entries: [Serial: Entry], oddEntries: OddEntries) {
        self.init(feed, oddEntries, entries, entries.keys.sorted())
    }

    private init(_ feed: FeedVersion, _ oddEntries: OddEntries, _ entries: [Serial: Entry], _ order: [Serial]) {
        (self.feed, self.oddEntries, self.entries, self.order) = (feed, oddEntries, entries, order)
    }

    public var count: Int { entries.count }
    /// All entries, by their serial numbers as integers.
    public var inOrder: [(serial: [UInt8], entry: Entry)] { page(from: 0, limit: count) }

    /// At most `limit` entries from the position `from`, in ascending order of their serial numbers as integers.
    public func page(from: Int, limit: Int) -> [(serial: [UInt8], entry: Entry)] {
        order.dropFirst(max(0, from)).prefix(max(0, limit)).compactMap { serial in
            entries[serial].map { (serial.magnitude, $0) }
        }
    }

    /// The same list, confirmed as the latest at another time.
    public func known(asOf time: Timestamp) -> RevocationSnapshot {
        RevocationSnapshot(FeedVersion(name: feed.name, id: feed.id, asOf: time), oddEntries, entries, order)
    }

    /// The same version of the list with the entries for these serial numbers alone.
    public func keepingEntries(for serials: [[UInt8]]) -> RevocationSnapshot {
        let kept = serials.compactMap { serial in self[serial].map { (serial, $0) } }
        return RevocationSnapshot(
            feed: feed, entries: Dictionary(kept, uniquingKeysWith: { first, _ in first }), oddEntries: oddEntries)
    }

    /// - Parameter serial: an unsigned big-endian integer; leading zeros do not matter.
    public subscript(serial: [UInt8]) -> Entry? { entries[Serial(serial)] }

    /// A serial number as a key: an array of bytes hashes and compares each by itself, and every use of a device looks up its whole chain.
    package struct Serial: Hashable, Comparable, Sendable {
        /// An unsigned big-endian integer without leading zeros.
        package let magnitude: [UInt8]

        package init(_ serial: [UInt8]) { magnitude = SerialNumber.magnitude(serial) }

        package static func == (a: Serial, b: Serial) -> Bool { a.magnitude.equals(b.magnitude) }
        package func hash(into hasher: inout Hasher) { magnitude.withUnsafeBytes { hasher.combine(bytes: $0) } }

        /// As integers.
        package static func < (a: Serial, b: Serial) -> Bool {
            a.magnitude.count == b.magnitude.count
                ? a.magnitude.precedes(b.magnitude) : a.magnitude.count < b.magnitude.count
        }
    }

    /// The more permanent of two entries for one number.
    private static func worse(_ a: Entry, _ b: Entry) -> Entry { a.status == .suspended ? b : a }
}

extension RevocationSnapshot: Hashable {
    public static func == (a: RevocationSnapshot, b: RevocationSnapshot) -> Bool {
        a === b || a.feed == b.feed && a.oddEntries == b.oddEntries && a.entries == b.entries
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(feed)
        hasher.combine(count)
    }
}

/// The revocation list of an appraisal, or why there is none.
public enum RevocationKnowledge: Hashable, Sendable {
    /// The app runs without a list: the verdict states it.
    case notConsulted
    case snapshot(RevocationSnapshot)
    /// There is no list, or it is too old. A sentence gives the reason.
    case unavailable(String)

    /// Why there is no list; `nil` if there is one, or none is consulted.
    package var unavailable: String? { if case .unavailable(let why) = self { why } else { nil } }
}

/// The source of an app's revocation list. Asked once for each request; never does I/O.
public protocol RevocationSource: Sendable {
    func knowledge(at now: Timestamp) -> RevocationKnowledge
}

/// A feed's version, as named in a verdict.
public struct FeedVersion: Hashable, Sendable {
    /// The feed, e.g. `google-attestation-status`.
    public let name: String
    /// The first 16 hex digits of the SHA-256 of the list's bytes.
    public let id: String
    /// When it was last confirmed as the latest.
    public let asOf: Timestamp
    public init(name: String, id: String, asOf: Timestamp) { (self.name, self.id, self.asOf) = (name, id, asOf) }
}

/// Serial numbers of certificates in lists: unsigned big-endian integers, in hexadecimal for people.
package enum SerialNumber {
    /// The longest number in a list, in hexadecimal digits. Certificates have 40 (RFC 5280 §4.1.2.2).
    private static let digitLimit = 64

    /// Without leading zeros, so that equal numbers are equal bytes; 0 is empty.
    package static func magnitude(_ serial: [UInt8]) -> [UInt8] {
        serial.first == 0 ? Array(serial.drop { $0 == 0 }) : serial
    }

    /// The magnitude of a number in hexadecimal digits of either case and any number; `nil` for anything else. Decimal digits
    /// alone are hexadecimal too.
    package static func magnitude(hexadecimal digits: String) -> [UInt8]? { magnitude(utf8: Array(digits.utf8)) }

    /// The same of digits that are at hand as their UTF-8.
    package static func magnitude(utf8 digits: [UInt8]) -> [UInt8]? {
        guard (1...digitLimit).contains(digits.count) else { return nil }
        return Hex.decode(utf8: digits.count % 2 == 0 ? digits : [UInt8(ascii: "0")] + digits).map(magnitude)
    }

    /// The form in Google's revocation list: lower case, no leading zero.
    package static func hexadecimal(_ serial: [UInt8]) -> String {
        let digits = Hex.encode(magnitude(serial))
        guard digits.utf8.first == UInt8(ascii: "0") else { return digits.isEmpty ? "0" : digits }
        return String(Substring(digits.utf8.dropFirst()))
    }
}
