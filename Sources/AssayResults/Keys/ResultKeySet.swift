package import AssayCore

/// The keys of one issuer, and when each signs and is published: a function of what the ledger has and of the rule, the same on every daemon.
///
/// Keys sign in the order in which they were published, one at a time. The ledger says when the first signs, and when a key that was rotated to
/// does. When the lifetime of a key ends, the newest key after it that was published long enough follows by itself; if none was, the first
/// that will have been, and until then nothing is signed.
package struct ResultKeySet: Hashable, Sendable {
    package let issuer: ResultPublicKey.Issuer
    package let rule: ResultKeyRule
    /// Every key, in the order of publication.
    package let turns: [ResultKeyTurn]
    /// Those that sign at some time, in the order in which they do, as indices of `turns`.
    private let order: [Int]
    /// How many of `order` the ledger states.
    private let recorded: Int

    /// - Parameter keys: of all issuers, in the order in which they were published.
    package init(_ keys: [PublishedResultKey], of issuer: ResultPublicKey.Issuer, _ rule: ResultKeyRule) {
        (self.issuer, self.rule) = (issuer, rule)
        var turns = keys.filter { $0.key.issuer == issuer }.map { ResultKeyTurn(key: $0, starts: $0.signsFrom) }
        var order = Self.recordedOrder(&turns)
        recorded = order.count
        while let last = order.last, let next = Self.successor(of: last, in: turns, rule) {
            turns[next.index].starts = next.starts
            order.append(next.index)
        }
        for (place, index) in order.enumerated() {
            let following = order.dropFirst(place + 1).first
            guard let starts = turns[index].starts else { continue }
            let end = starts.adding(milliseconds: rule.lifetime)
            turns[index].ends = min(end, following.flatMap { turns[$0].starts } ?? end)
            if place + 1 < recorded, let follows = following.flatMap({ turns[$0].starts }) {
                turns[index].publishedUntil = follows.adding(milliseconds: ResultKeyRule.retention)
            }
        }
        (self.turns, self.order) = (turns, order)
    }

    /// The keys for which the ledger has a start, in the order in which they sign. Marks those that were passed over.
    private static func recordedOrder(_ turns: inout [ResultKeyTurn]) -> [Int] {
        let started = turns.indices.filter { turns[$0].starts != nil }.sorted {
            (turns[$0].starts ?? .distantPast, $0) < (turns[$1].starts ?? .distantPast, $1)
        }
        var order: [Int] = []
        for index in started where index > order.last ?? -1 { order.append(index) }
        for index in turns.indices where index < order.last ?? 0 && !order.contains(index) {
            turns[index].isPassedOver = true
            turns[index].starts = nil
        }
        return order
    }

    /// What follows a key of which the ledger does not say what follows it.
    private static func successor(
        of last: Int, in turns: [ResultKeyTurn], _ rule: ResultKeyRule
    ) -> (index: Int, starts: Timestamp)? {
        guard let end = turns[last].starts?.adding(milliseconds: rule.lifetime) else { return nil }
        let waiting = turns.indices[(last + 1)...].map { index in
            (index: index, ready: turns[index].key.publishedAt.adding(milliseconds: rule.publishAhead))
        }
        if let ready = waiting.last(where: { $0.ready <= end }) { return (ready.index, end) }
        return waiting.first.map { ($0.index, $0.ready) }
    }
}

extension ResultKeySet {
    /// The key that signs; `nil`: nothing is signed.
    package func signing(at now: Timestamp) -> ResultKeyTurn? { turns.first { $0.state(at: now) == .signing } }

    /// The keys by which results are checked, in the order of publication: those that sign next, now, or have signed what may be good yet.
    package func published(at now: Timestamp) -> [ResultKeyTurn] { turns.filter { $0.state(at: now) != .retired } }

    /// When signing ends if nothing is done: the end of the key that signs, or of those that follow it without a gap. `nil`: nothing is signed
    /// now.
    package func signingEnds(from now: Timestamp) -> Timestamp? {
        guard var end = signing(at: now)?.ends else { return nil }
        for index in order {
            guard let (starts, ends) = turns[index].period, starts <= end, ends > end else { continue }
            end = ends
        }
        return end
    }

    /// Which key signs after the one that does, if one is known to.
    package func following(at now: Timestamp) -> ResultKeyTurn? {
        order.lazy.map { turns[$0] }.first { $0.starts.map { $0 > now } ?? false }
    }

    /// A key that follows by itself and whose time has come: what is to be recorded in the ledger. The start is the present where it should have
    /// been long ago, after a lifetime was shortened or while no daemon ran: the key before may have signed until now.
    package func takeOver(at now: Timestamp) -> (identifier: [UInt8], starts: Timestamp)? {
        let due = order.dropFirst(recorded).last { turns[$0].starts.map { $0 <= now } ?? false }
        guard let due, let starts = turns[due].starts else { return nil }
        return (turns[due].identifier, max(starts, now.adding(milliseconds: -Self.recordingDelay)))
    }

    /// In milliseconds. Every daemon looks more often.
    private static let recordingDelay: Int64 = 600_000

    /// The key that an operator's rotation lets sign, and from when on: the newest that does not sign yet.
    ///
    /// - Parameter immediately: without regard to how long it was published.
    package func rotation(
        at now: Timestamp, immediately: Bool
    ) throws(ResultRotationProblem) -> (identifier: [UInt8], starts: Timestamp) {
        let last = order.prefix(recorded).last ?? -1
        if let waiting = turns.indices.last(where: { $0 > last && turns[$0].key.signsFrom == nil }) {
            let ready = turns[waiting].key.publishedAt.adding(milliseconds: rule.publishAhead)
            return (turns[waiting].identifier, immediately ? now : max(now, ready))
        }
        guard last >= 0, let starts = turns[last].starts, starts > now else { throw .noNextKey }
        guard immediately else { throw .scheduled(turns[last].identifier, starts) }
        return (turns[last].identifier, now)
    }
}

/// Why no key is rotated to.
package enum ResultRotationProblem: Error, Hashable, Sendable {
    /// No key is published that does not sign already.
    case noNextKey
    /// The newest key signs from then on already.
    case scheduled([UInt8], Timestamp)
}

extension ResultKeyTurn {
    fileprivate var period: (starts: Timestamp, ends: Timestamp)? {
        guard let starts, let ends else { return nil }
        return (starts, ends)
    }
}
