import AssayEncoding

/// An authorization list before encoding: tagged values in writing order, duplicates allowed.
public struct AuthorizationListDraft: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public var tag: DescriptionTag
        /// The DER inside the explicit tag.
        public var value: [UInt8]
        public init(_ tag: DescriptionTag, _ value: [UInt8]) { (self.tag, self.value) = (tag, value) }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The DER of the first entry with a tag. Setting replaces it in place, or inserts it before the first greater tag; `nil`
    /// removes every entry of the tag.
    public subscript(tag: DescriptionTag) -> [UInt8]? {
        get { entries.first { $0.tag == tag }?.value }
        set {
            guard let newValue else { return entries.removeAll { $0.tag == tag } }
            if let index = entries.firstIndex(where: { $0.tag == tag }) {
                entries[index].value = newValue
            } else {
                let index = entries.firstIndex { $0.tag.rawValue > tag.rawValue } ?? entries.endIndex
                entries.insert(Entry(tag, newValue), at: index)
            }
        }
    }

    /// Adds an entry at the end, whatever the order and duplicates.
    public mutating func append(_ tag: DescriptionTag, _ value: [UInt8]) { entries.append(Entry(tag, value)) }

    public mutating func set(_ tag: DescriptionTag, integer: UInt64) { self[tag] = DERWriter.integer(integer) }

    /// A SET OF INTEGER in the given order; DER requires ascending order.
    public mutating func set(_ tag: DescriptionTag, integers: [UInt64]) {
        self[tag] = DERWriter.set(integers.map(DERWriter.integer))
    }

    public mutating func set(_ tag: DescriptionTag, bytes: [UInt8]) { self[tag] = DERWriter.octetString(bytes) }

    /// A flag: NULL, whose presence means true.
    public mutating func set(_ tag: DescriptionTag) { self[tag] = DERWriter.null }

    public var der: [UInt8] { DERWriter.sequence(entries.map { DERWriter.context($0.tag.rawValue, [$0.value]) }) }
}
