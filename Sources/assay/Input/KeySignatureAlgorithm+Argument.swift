public import ArgumentParser
public import AssayCore

/// A signature algorithm as claims name it.
extension KeySignatureAlgorithm: ExpressibleByArgument {
    public init?(argument: String) {
        guard let algorithm = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = algorithm
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names say it; without this the parser takes the numbers for names.
    public static var allValueDescriptions: [String: String] { [:] }
}
