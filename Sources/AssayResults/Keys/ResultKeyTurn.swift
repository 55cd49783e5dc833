package import AssayCore

/// A published key of an issuer, and when it signs.
package struct ResultKeyTurn: Hashable, Sendable {
    package let key: PublishedResultKey
    /// When it begins to sign: as the ledger says, or, if the ledger does not say it yet, when the key before it ends. `nil`: no time is known.
    package var starts: Timestamp?
    /// From then on it signs nothing: its lifetime is over, or another key signs. `nil` with `starts`.
    package var ends: Timestamp?
    /// From then on it is not published; `nil`: not before the ledger says when another key signs.
    package var publishedUntil: Timestamp?
    /// From then on a key that was published later signs, and this one never does; `nil`: it may sign, or does.
    package var passedOverFrom: Timestamp?

    /// What a key is for at an instant.
    package enum State: Hashable, Sendable {
        /// Published, and signs nothing yet.
        case next
        case signing
        /// Signs no more, and stays published while what it signed may be checked.
        case last
        /// Not published any more.
        case retired
    }

    package func state(at now: Timestamp) -> State {
        guard let starts, let ends else { return passedOverFrom.map { $0 <= now } ?? false ? .retired : .next }
        guard starts <= now else { return .next }
        guard now >= ends else { return .signing }
        return publishedUntil.map { now < $0 } ?? true ? .last : .retired
    }

    package var identifier: [UInt8] { key.key.identifier }
}
