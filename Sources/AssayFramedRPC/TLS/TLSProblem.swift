/// Why certificates or a key cannot be used.
package struct TLSProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the three inputs is at fault.
    package enum Part: Hashable, Sendable { case certificates, privateKey, authorities }

    package let part: Part
    package let description: String

    init(_ part: Part, _ description: String) { (self.part, self.description) = (part, description) }
}
