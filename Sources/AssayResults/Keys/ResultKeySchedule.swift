import AssayCore

/// Finds out when each key of an issuer signs.
struct ResultKeySchedule {
    /// In the order of publication.
    private(set) var turns: [ResultKeyTurn]
    /// Those that sign at some time, in the order in which they do, as indices of `turns`.
    private(set) var signing: [Int] = []
    /// Those of `signing` for which the ledger has the start.
    private(set) var recorded: Set<Int> = []
    private let rule: ResultKeyRule

    init(_ keys: [PublishedResultKey], _ rule: ResultKeyRule) {
        (turns, self.rule) = (keys.map { ResultKeyTurn(key: $0) }, rule)
    }

    /// Puts the keys into the order in which they sign: those that the ledger has a start for, and in the gaps between them and after the last
    /// those that follow by themselves.
    mutating func order() {
        let recorded = recordedOrder()
        self.recorded = Set(recorded)
        for (place, index) in recorded.enumerated() {
            signing.append(index)
            let before = recorded.dropFirst(place + 1).first
            while let last = signing.last, let next = successor(of: last, before: before) {
                turns[next.index].starts = next.starts
                signing.append(next.index)
            }
        }
    }

    /// The keys with a start in the ledger. One that was published before a key that signs earlier is passed over.
    private mutating func recordedOrder() -> [Int] {
        let started = turns.indices.compactMap { index in turns[index].key.signsFrom.map { (starts: $0, index: index) } }
        var order: [Int] = []
        for (starts, index) in started.sorted(by: { ($0.starts, $0.index) < ($1.starts, $1.index) })
        where index > order.last ?? -1 {
            turns[index].starts = starts
            order.append(index)
        }
        return order
    }

    /// What follows a key at the end of its lifetime: of those that were published after it, the newest that was published long enough, or the
    /// first that will have been.
    ///
    /// - Parameter next: the next key that the ledger has a start for.
    private func successor(of last: Int, before next: Int?) -> (index: Int, starts: Timestamp)? {
        let limit = next.flatMap { turns[$0].starts } ?? .distantFuture
        guard let end = turns[last].starts?.adding(milliseconds: rule.lifetime), end < limit else { return nil }
        let waiting = ((last + 1)..<(next ?? turns.count)).filter { turns[$0].key.signsFrom == nil }.map { index in
            (index: index, starts: turns[index].key.publishedAt.adding(milliseconds: rule.publishAhead))
        }
        if let ready = waiting.last(where: { $0.starts <= end }) { return (ready.index, end) }
        return waiting.first { $0.starts < limit }
    }

    /// Gives the keys their ends: of signing, and of publication.
    mutating func bound() {
        for (place, index) in signing.enumerated() {
            guard let starts = turns[index].starts else { continue }
            let next = signing.dropFirst(place + 1).first
            let follows = next.flatMap { turns[$0].starts }
            let end = starts.adding(milliseconds: rule.lifetime)
            turns[index].ends = min(end, follows ?? end)
            if let next, recorded.contains(next) {
                turns[index].publishedUntil = follows?.adding(milliseconds: ResultKeyRule.retention)
            }
        }
        for index in turns.indices where turns[index].starts == nil {
            turns[index].passedOverFrom = recorded.filter { $0 > index }.compactMap { turns[$0].starts }.min()
        }
    }
}
