/// What a plugin said or did against its contract (`docs/reference/plugin-protocol.md`). Nothing of such an answer is used.
package struct PluginFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence with expected and found values, for operators and authors.
    package let description: String
    package init(_ description: String) { self.description = description }
}
