/// A JSON value that is written exactly as requested, invalid ones included: members keep their order, and a name may occur
/// twice.
public indirect enum JSONDraft: Hashable, Sendable {
    case object([Member])
    case array([JSONDraft])
    case text(String)
    /// Written unchanged.
    case literal(String)

    public struct Member: Hashable, Sendable {
        public var name: String
        public var value: JSONDraft
        public init(_ name: String, _ value: JSONDraft) { (self.name, self.value) = (name, value) }
    }

    public static func texts(_ texts: [String]) -> JSONDraft { .array(texts.map { .text($0) }) }
    public static func integer(_ number: Int64) -> JSONDraft { .literal(String(number)) }
    public static func boolean(_ flag: Bool) -> JSONDraft { .literal(flag ? "true" : "false") }

    /// The value at the end of a path of names. Setting creates the objects on the path; setting `nil` removes the member.
    public subscript(path: String...) -> JSONDraft? {
        get { value(at: path[...]) }
        set { set(newValue, at: path[...]) }
    }

    private func value(at path: ArraySlice<String>) -> JSONDraft? {
        guard let name = path.first else { return self }
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value.value(at: path.dropFirst())
    }

    private mutating func set(_ value: JSONDraft?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        var members: [Member] = if case .object(let members) = self { members } else { [] }
        let index = members.firstIndex { $0.name == name }
        var inner = index.map { members[$0].value } ?? .object([])
        if path.count > 1 {
            inner.set(value, at: path.dropFirst())
        } else if let value {
            inner = value
        } else {
            members.removeAll { $0.name == name }
            self = .object(members)
            return
        }
        if let index { members[index].value = inner } else { members.append(Member(name, inner)) }
        self = .object(members)
    }

    /// The UTF-8.
    public var bytes: [UInt8] { Array(written.utf8) }

    private var written: String {
        switch self {
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.written }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ",") + "]"
        case .text(let text): Self.quoted(text)
        case .literal(let literal): literal
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
