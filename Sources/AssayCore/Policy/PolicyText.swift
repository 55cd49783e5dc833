/// The policy of an app, field by field: the text that people read, and the digest that verdicts name.
///
/// One call adds a field to both, so that the text cannot leave out what the digest covers. Each line is `key = value`, with the keys of the
/// configuration below `apps.<app>`; elements of a list have a line each. The text is ASCII: other characters are escaped as in JSON. It has
/// digests in place of secrets and of identifiers of devices.
///
/// The digest is SHA-256 over the fields without their keys (`FieldDigest`), so that a key can be called otherwise without another digest.
package struct PolicyText {
    private var hash: FieldDigest
    private var lines: [String] = []
    private var bytes = 0
    private var omitted = 0
    private var path = ""

    /// The longest text, in bytes. Lines beyond it are counted in a last line; the digest covers them all the same.
    package static let limit = 1 << 20

    /// - Parameter tag: keeps digests of one kind apart from those of another.
    package init(_ tag: String) { hash = FieldDigest(tag) }

    /// 32 bytes.
    package var digest: [UInt8] {
        let fields = hash
        return fields.finalize()
    }

    /// Lines, each with its end.
    package var text: String {
        var text = lines.joined()
        if omitted > 0 { text += "# \(omitted) lines more, which the digest covers\n" }
        return text
    }

    // MARK: Where fields stand

    /// Adds fields below a key.
    ///
    /// - Parameter element: the name of one of several that the key has, shown in brackets.
    package mutating func nested(_ key: String, of element: String? = nil, _ fields: (inout PolicyText) -> Void) {
        let outer = path
        path += key + (element.map { "[\(Self.written($0))]" } ?? "") + "."
        defer { path = outer }
        fields(&self)
    }

    /// Separates fields in the digest, and adds no line.
    package mutating func mark(_ tag: String) { hash.append(tag) }

    /// The same for a number.
    package mutating func mark(_ number: UInt64) { hash.append(number) }

    // MARK: Fields

    package mutating func add(_ key: String, _ value: String) { add(key, hashed: value, shown: value) }

    /// Bytes that are no secret, shown in hexadecimal.
    package mutating func add(_ key: String, _ value: [UInt8]) { add(key, hashed: value, shown: Hex.encode(value)) }

    package mutating func add(_ key: String, _ number: UInt64) { add(key, hashed: number, shown: "\(number)") }

    package mutating func add(_ key: String, flag: Bool) { add(key, hashed: flag ? 1 : 0, shown: "\(flag)") }

    package mutating func add(_ key: String, milliseconds: Int64) {
        add(key, hashed: UInt64(bitPattern: milliseconds), shown: DurationText.exact(milliseconds))
    }

    /// A value that may be absent.
    package mutating func add(_ key: String, optional value: (some CustomStringConvertible)?, absent: String = "any") {
        add(key, value.map { "\($0)" } ?? absent)
    }

    /// A list in an order of its own: one line for each element.
    ///
    /// - Parameter separator: between elements in the digest.
    package mutating func add(_ key: String, list: [String], separator: String = ",") {
        hash.append(list.joined(separator: separator))
        show(key, list)
    }

    /// A list that may be absent, in an order of its own.
    package mutating func add(_ key: String, list: [String]?, absent: String, separator: String = ",") {
        guard let list else { return add(key, absent) }
        add(key, list: list, separator: separator)
    }

    /// A value that is shown otherwise than it is hashed.
    package mutating func add(_ key: String, hashed: String, shown: String) {
        hash.append(hashed)
        show(key, shown)
    }

    package mutating func add(_ key: String, hashed: [UInt8], shown: String) {
        hash.append(hashed)
        show(key, shown)
    }

    package mutating func add(_ key: String, hashed: UInt64, shown: String) {
        hash.append(hashed)
        show(key, shown)
    }

    // MARK: Lines

    /// Adds a line that the digest does not cover, because other fields imply it.
    package mutating func show(_ key: String, _ value: String) { add(line: "\(path)\(key) = \(Self.written(value))\n") }

    package mutating func show(_ key: String, _ list: [String]) {
        guard !list.isEmpty else { return add(line: "\(path)\(key) = []\n") }
        for element in list { show(key, element) }
    }

    private mutating func add(line: String) {
        guard omitted == 0, bytes + line.utf8.count <= Self.limit else {
            omitted += 1
            return
        }
        bytes += line.utf8.count
        lines.append(line)
    }

    /// The value itself if it is visible ASCII and cannot be taken for something else; otherwise a JSON string in ASCII.
    private static func written(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.first != "[" && value.first != "\"" && value.first != " " && value.last != " "
            && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard !isPlain else { return value }
        var written = "\""
        for unit in value.utf16 {
            switch unit {
            case 0x22, 0x5C: written += "\\" + String(UnicodeScalar(UInt8(truncatingIfNeeded: unit)))
            case 0x20...0x7E: written += String(UnicodeScalar(UInt8(truncatingIfNeeded: unit)))
            default:
                let digits = String(unit, radix: 16)
                written += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return written + "\""
    }
}

/// What judges an app under one configuration.
package struct AppPolicy: Hashable, Sendable {
    package let app: AppID
    /// SHA-256, 32 bytes: what verdicts name.
    package let digest: [UInt8]
    /// One line for each setting that bears on a verdict (`PolicyText`).
    package let text: String

    package init(app: AppID, digest: [UInt8], text: String) { (self.app, self.digest, self.text) = (app, digest, text) }

    package init(_ app: AppID, _ policy: PolicyText) { self.init(app: app, digest: policy.digest, text: policy.text) }
}
