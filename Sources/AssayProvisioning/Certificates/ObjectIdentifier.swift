/// An OBJECT IDENTIFIER by its arcs, checked so that it can be written.
package struct ObjectIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// More are not written: no identifier in use has half as many.
    package static let arcLimit = 20

    let arcs: [UInt]

    /// `nil` unless there are 2 to 20 arcs, the first 0 to 2, the second below 40 unless the first is 2, and all below 2^32.
    package init?(_ arcs: [UInt64]) {
        guard (2...Self.arcLimit).contains(arcs.count), arcs.allSatisfy({ $0 >> 32 == 0 }), arcs[0] <= 2,
            arcs[0] == 2 || arcs[1] < 40
        else { return nil }
        self.arcs = arcs.map { UInt($0) }
    }

    private init(known: [UInt]) { arcs = known }

    package var description: String { arcs.map { String($0) }.joined(separator: ".") }

    static let basicConstraints = ObjectIdentifier(known: [2, 5, 29, 19])
    static let keyUsage = ObjectIdentifier(known: [2, 5, 29, 15])
    static let extendedKeyUsage = ObjectIdentifier(known: [2, 5, 29, 37])
    static let subjectKeyIdentifier = ObjectIdentifier(known: [2, 5, 29, 14])
    static let authorityKeyIdentifier = ObjectIdentifier(known: [2, 5, 29, 35])
    static let subjectAlternativeName = ObjectIdentifier(known: [2, 5, 29, 17])
    static let revocationListDistribution = ObjectIdentifier(known: [2, 5, 29, 31])
    static let clientAuthentication = ObjectIdentifier(known: [1, 3, 6, 1, 5, 5, 7, 3, 2])
}
