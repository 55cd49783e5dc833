import AssayEncoding

/// A CBOR map under construction: entries in writing order, duplicates allowed.
public struct CBORMap: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// An encoded item.
        public var key: [UInt8]
        /// An encoded item.
        public var value: [UInt8]
        public init(key: [UInt8], value: [UInt8]) { (self.key, self.value) = (key, value) }
    }

    public var entries: [Entry]
    /// True to write it with indefinite length.
    public var indefinite = false

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The encoded value of the first entry with a text key. Setting replaces it in place or appends; `nil` removes it.
    public subscript(key: String) -> [UInt8]? {
        get { entries.first { $0.key == CBORWriter.text(key) }?.value }
        set {
            let index = entries.firstIndex { $0.key == CBORWriter.text(key) }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Adds an entry, even if the key exists.
    public mutating func append(_ key: String, _ value: [UInt8]) {
        entries.append(Entry(key: CBORWriter.text(key), value: value))
    }

    public mutating func append(_ key: Int64, _ value: [UInt8]) {
        entries.append(Entry(key: CBORWriter.integer(key), value: value))
    }

    public var bytes: [UInt8] {
        let body = entries.flatMap { $0.key + $0.value }
        return indefinite ? [0xBF] + body + [0xFF] : CBORWriter.head(5, UInt64(entries.count)) + body
    }
}
