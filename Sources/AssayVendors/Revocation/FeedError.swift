/// Why a list was refused. The earlier list stays in force.
package enum FeedError: Error, Hashable, Sendable {
    /// The service did not answer, or without a list.
    case unavailable(String)
    /// The bytes are not a list.
    case malformed(String)
    /// The list is much shorter than the earlier one, or empty.
    case shrunken(from: Int, to: Int)
    /// The list is older than the one in force.
    case outdated
}

extension FeedError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unavailable(let why): why
        case .malformed(let why): "not a revocation list: \(why)"
        case .shrunken(let from, let to):
            "the list has shrunk from \(from) to \(to) entries, which is taken for a mistake"
        case .outdated: "the list is older than the one that is known"
        }
    }
}
