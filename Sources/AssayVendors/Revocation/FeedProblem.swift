/// Why a list was not taken. What was known before stays.
package enum FeedProblem: Error, Hashable, Sendable {
    /// The service did not answer, or not with a list.
    case unavailable(String)
    /// What came is no list.
    case malformed(String)
    /// What came is a list, and much shorter than the one before, or empty.
    case shrunken(from: Int, to: Int)
    /// What came is older than what is known.
    case outdated
}

extension FeedProblem: CustomStringConvertible {
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
