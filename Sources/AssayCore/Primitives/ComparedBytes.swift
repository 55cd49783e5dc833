/// Two byte strings that differ, as a sentence shows them: shortened, and never with one text for both.
package struct ComparedBytes: Hashable, Sendable {
    package let found: String
    package let expected: String

    /// - Parameters: two byte strings that are not equal.
    package init(_ found: some Collection<UInt8>, expected: some Collection<UInt8>) {
        let (short, other) = (Hex.short(found), Hex.short(expected))
        guard short == other else {
            (self.found, self.expected) = (short, other)
            return
        }
        guard found.count == expected.count else {
            self.found = "\(short) (\(found.count) bytes)"
            self.expected = "\(other) (\(expected.count) bytes)"
            return
        }
        let equal = zip(found, expected).prefix { $0 == $1 }.count
        self.found = "\(short) with \(Hex.short(found.dropFirst(equal))) from byte \(equal) on"
        self.expected = "\(other) with \(Hex.short(expected.dropFirst(equal)))"
    }
}
