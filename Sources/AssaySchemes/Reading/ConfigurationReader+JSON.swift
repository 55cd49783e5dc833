package import AssayCore
import Yams

extension ConfigurationReader.Value {
    /// The value as JSON, for those who read their own configuration. Members stand in the order of their names, so that equal values
    /// have equal texts.
    ///
    /// Words and numbers without quotation marks are what JSON takes them for; what YAML and JSON read differently (`yes`, `0x10`, `010`)
    /// is a problem, and so is a key that is no text.
    package func json() -> JSONValue? { json(depth: 0) }

    private func json(depth: Int) -> JSONValue? {
        // Yams refuses names that stand twice.
        guard depth < JSONReader.depthLimit - 1 else {
            report("nested deeper than \(JSONReader.depthLimit - 1)")
            return nil
        }
        switch node {
        case .scalar(let scalar): return json(of: scalar)
        case .alias:
            report(YAMLText.aliasProblem)
            return nil
        case .sequence:
            let elements = (list() ?? []).map { $0.json(depth: depth + 1) }
            return elements.contains(nil) ? nil : .array(elements.compactMap(\.self))
        case .mapping:
            let members = (members() ?? []).map { (name: Array($0.name.utf8), value: $0.value.json(depth: depth + 1)) }
            guard members.allSatisfy({ $0.value != nil }) else { return nil }
            return .object(
                JSONObject(
                    members.compactMap { name, value in value.map { JSONObject.Member(name: name, value: $0) } }
                        .sorted { $0.name.lexicographicallyPrecedes($1.name) }))
        }
    }

    private func json(of scalar: Node.Scalar) -> JSONValue? {
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else { return .string(Array(text.utf8)) }
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null", "~", "": return .null
        default: break
        }
        if let value = try? JSONReader.parse(Array(text.utf8)[...], code: .malformed), case .number = value { return value }
        switch node.tag {
        case Tag(.bool), Tag(.null):
            report("write true, false or null, or put the text \(text.prefix(60)) into quotation marks")
            return nil
        case Tag(.int), Tag(.float):
            report("write the number in decimal as in JSON, or put the text \(text.prefix(60)) into quotation marks")
            return nil
        default: return .string(Array(text.utf8))
        }
    }
}
