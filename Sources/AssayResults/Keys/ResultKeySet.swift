package import AssayCore

/// The keys of one issuer, and when each signs and is published: a function of what the ledger has and of the rule, the same on every daemon.
///
/// Keys sign in the order in which they were published, one at a time. The ledger says when the first signs, and when a key that was rotated to
/// does. When the lifetime of a key ends before, the newest key after it that was published long enough follows by itself; if none was, the
/// first that will have been, and until then nothing is signed.
package struct ResultKeySet: Hashable, Sendable {
    package let issuer: ResultPublicKey.Issuer
    package let rule: ResultKeyRule
    /// Every key, in the order of publication.
    package let turns: [ResultKeyTurn]
    /// Those that sign at some time, in the order in which they do, as indices of `turns`.
    private let order: [Int]
    /// Those of `order` for which the ledger has the start.
    private let recorded: Set<Int>

    /// - Parameter keys: of all issuers, in the order in which they were published.
    package init(_ keys: [PublishedResultKey], of issuer: ResultPublicKey.Issuer, _ rule: ResultKeyRule) {
        (self.issuer, self.rule) = (issuer, rule)
        var schedule = ResultKeySchedule(keys.filter { $0.key.issuer == issuer }, rule)
        schedule.order()
        schedule.bound()
        (turns, order, recorded) = (schedule.turns, schedule.signing, schedule.recorded)
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
        for turn in order.map({ turns[$0] }) {
            guard let starts = turn.starts, let ends = turn.ends, starts <= end, ends > end else { continue }
            end = ends
        }
        return end
    }

    /// Which key signs after the one that does, if one is known to.
    package func following(at now: Timestamp) -> ResultKeyTurn? {
        order.lazy.map { turns[$0] }.first { $0.starts.map { $0 > now } ?? false }
    }

    /// The first key that follows by itself, whose time has come, and whose start the ledger does not have: what is to be recorded there, one after
    /// the other. The start is near the present where it should have been long ago, after a lifetime was shortened or while no
    /// daemon ran: the key before may have signed until now, and stays published for as long as what it signed is good.
    package func takeOver(at now: Timestamp) -> (identifier: [UInt8], starts: Timestamp)? {
        let due = order.lazy.filter { !recorded.contains($0) }.map { turns[$0] }.first { $0.starts.map { $0 <= now } ?? false }
        guard let due, let starts = due.starts else { return nil }
        return (due.identifier, max(starts, now.adding(milliseconds: -Self.recordingDelay)))
    }

    /// In milliseconds: less than the hour for which a key stays published beyond what it signed. Every daemon looks more often.
    private static let recordingDelay: Int64 = 1_800_000

    /// The key that an operator's rotation lets sign, and from when on: the newest that does not sign yet. The caller has recorded what is due
    /// (``takeOver(at:)``) before.
    ///
    /// - Parameter immediately: without regard to how long it was published.
    package func rotation(
        at now: Timestamp, immediately: Bool
    ) throws(ResultRotationProblem) -> (identifier: [UInt8], starts: Timestamp) {
        let last = order.last { recorded.contains($0) } ?? -1
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
