/// What travels beside a message: few, short pairs. Keys are compared as bytes; of equal keys the last one counts.
///
/// An array is searched faster than a dictionary is built, for the handful of entries a call carries.
package struct RPCMetadata: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let key: String
        package let value: String
    }

    /// How many entries a call may carry.
    package static let maxEntries = 32

    package private(set) var entries: [Entry] = []

    package init() {}

    package init(_ pairs: some Sequence<(key: String, value: String)>) {
        entries = pairs.map { Entry(key: $0.key, value: $0.value) }
    }

    package subscript(key: String) -> String? {
        // Strings are equal under Unicode's canonical equivalence, names from outside are equal as bytes.
        entries.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// Bytes of all keys and values.
    var byteCount: Int { entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    mutating func append(_ key: String, _ value: String) { entries.append(Entry(key: key, value: value)) }
}

extension RPCMetadata: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral pairs: (String, String)...) {
        entries = pairs.map { Entry(key: $0.0, value: $0.1) }
    }
}
