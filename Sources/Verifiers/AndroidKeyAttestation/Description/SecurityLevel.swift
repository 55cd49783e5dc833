package import AssayCore

/// Where a key is stored, or where its attestation was made (`SecurityLevel` of the KeyDescription schema).
package enum SecurityLevel: Int, CaseIterable, Comparable, Hashable, Sendable {
    case software = 0
    case trustedEnvironment = 1
    /// Since version 3.
    case strongBox = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// The name in claims.
    package var name: String {
        switch self {
        case .software: "SOFTWARE"
        case .trustedEnvironment: "TRUSTED_ENVIRONMENT"
        case .strongBox: "STRONG_BOX"
        }
    }

    package init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package var assurance: Assurance {
        switch self {
        case .software: .software
        case .trustedEnvironment: .hardware
        case .strongBox: .secureElement
        }
    }
}
