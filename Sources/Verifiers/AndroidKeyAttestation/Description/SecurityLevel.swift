package import AssayCore

/// Where a key lives, or where its attestation was made (`SecurityLevel` of the KeyDescription schema).
package enum SecurityLevel: Int, CaseIterable, Comparable, Hashable, Sendable {
    case software = 0
    case trustedEnvironment = 1
    /// From version 3 on.
    case strongBox = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// As claims have it.
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
