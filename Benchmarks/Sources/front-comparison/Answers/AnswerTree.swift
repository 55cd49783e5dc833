import Foundation

/// An answer as a tree of texts: the JSON of its message.
indirect enum AnswerTree: Hashable, Sendable {
    case object([String: AnswerTree])
    case list([AnswerTree])
    case leaf(String)

    init(json: [UInt8]) throws { self.init(try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) }

    private init(_ value: Any) {
        switch value {
        case let members as [String: Any]: self = .object(members.mapValues { AnswerTree($0) })
        case let elements as [Any]: self = .list(elements.map { AnswerTree($0) })
        default: self = .leaf("\(value)")
        }
    }

    subscript(name: String) -> AnswerTree? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var text: String {
        if case .leaf(let text) = self { text } else { "" }
    }

    var elements: [AnswerTree] {
        if case .list(let elements) = self { elements } else { [] }
    }
}

extension AnswerTree: CustomStringConvertible {
    var description: String {
        switch self {
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .leaf(let text): text
        }
    }
}
