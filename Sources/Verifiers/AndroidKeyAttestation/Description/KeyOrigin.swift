/// The origin of a key (tag `origin`).
package enum KeyOrigin: UInt64, CaseIterable, Hashable, Sendable {
    case generated = 0
    case derived = 1
    case imported = 2
    case unknown = 3
    /// Imported without passing through Android.
    case securelyImported = 4

    /// The name in claims.
    package var name: String {
        switch self {
        case .generated: "GENERATED"
        case .derived: "DERIVED"
        case .imported: "IMPORTED"
        case .unknown: "UNKNOWN"
        case .securelyImported: "SECURELY_IMPORTED"
        }
    }

    package init?(name: String) {
        guard let origin = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = origin
    }
}
