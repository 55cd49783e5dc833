/// A few short pairs that a call carries beside its message. Keys are compared as bytes; of equal keys the last one counts.
///
/// An array: searching a few entries is faster than building a dictionary.
package struct RPCMetadata: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: String
        package let value: String
    }

    /// The number of entries that a call may carry.
    package static let maxEntries = 32

    package private(set) var entries: [Entry] = []

    package init() {}

    package init(_ pairs: some Sequence<(key: String, value: String)>) {
        entries = pairs.map { Entry(key: $0.key, value: $0.value) }
    }

    package subscript(key: String) -> String? {
        // String's equality is Unicode's canonical equivalence; names from outside are equal as bytes.
        entries.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// Bytes of all keys and values.
    package var byteCount: Int { entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// The key under which a call carries a credential.
    package static let authorization = "authorization"

    /// Without the credential, which no handler needs.
    package func withoutCredential() -> RPCMetadata {
        RPCMetadata(entries.lazy.filter { !$0.key.utf8.elementsEqual(Self.authorization.utf8) }.map { ($0.key, $0.value) })
    }

    /// With the entries of another behind it.
    package func merging(_ other: RPCMetadata) -> RPCMetadata {
        var all = self
        all.entries += other.entries
        return all
    }

    package mutating func append(_ key: String, _ value: String) { entries.append(Entry(key: key, value: value)) }
}

extension RPCMetadata: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral pairs: (String, String)...) {
        entries = pairs.map { Entry(key: $0.0, value: $0.1) }
    }
}
