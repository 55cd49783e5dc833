public import ArgumentParser
public import AssayCore

/// A signature algorithm by its name in claims.
extension KeySignatureAlgorithm: ExpressibleByArgument {
    public init?(argument: String) {
        guard let algorithm = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = algorithm
    }
    public static var allValueStrings: [String] { allCases.map(\.name) }
    /// The names alone; without this the parser shows the numbers as names.
    public static var allValueDescriptions: [String: String] { [:] }
}
