/// How strong an accepted verdict is. The assurance of a chain is the minimum of its claims.
public enum Assurance: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    case none = 0
    /// Keys held by software.
    case software = 1
    /// A platform vendor's online verdict alone.
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
