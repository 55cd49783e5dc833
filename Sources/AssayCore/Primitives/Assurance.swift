/// The strength of an accepted verdict. The assurance of a chain is the minimum of its claims.
public enum Assurance: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case none = 0
    /// Keys stored by software.
    case software = 1
    /// Only a platform vendor's online verdict.
    case platform = 2
    /// A trusted execution environment.
    case hardware = 3
    /// A secure element: Secure Enclave, StrongBox.
    case secureElement = 4

    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    public var name: String {
        switch self {
        case .none: "none"
        case .software: "software"
        case .platform: "platform"
        case .hardware: "hardware"
        case .secureElement: "secure_element"
        }
    }
}
