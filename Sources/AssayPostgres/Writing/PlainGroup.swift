import AssayCore
import AssayLedger

/// A group of entries of the usual kind: each advances the counter of one registered device from a state that was seen, spends challenges, and
/// does nothing else.
///
/// Its rows are changed without a look at them before. If every counter had the state that was seen, no device is blocked, every challenge was
/// fresh and is above the horizon, then each entry is accepted for the reasons by which `GroupFacts` would accept it: the states are those of
/// `CounterState.advanced`. Otherwise all is undone, and each entry is decided by what its rows say.
struct PlainGroup {
    /// Of one device, all entries together.
    private struct Step {
        let device: DeviceID
        let before: CounterState
        var after: CounterState
        var time: Timestamp
    }

    private struct Token {
        let expiry: Int64
        let token: [UInt8]
        let order: ByteOrder
    }

    /// In the order of all locks: by the bytes of their devices.
    private var steps: [Step] = []
    /// By their expiry, then their bytes.
    private var tokens: [Token] = []

    /// `nil` if there is no entry, if one is of another kind, or if one would be refused.
    ///
    /// - Parameter horizon: the spent horizon, or a lower value.
    init?(_ entries: [LedgerEntry], after horizon: Timestamp) {
        guard !entries.isEmpty else { return nil }
        var order: [(order: ByteOrder, index: Int)] = []
        order.reserveCapacity(entries.count)
        tokens.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            guard entry.isPlain, let device = ByteOrder(entry.advances[0].device.bytes) else { return nil }
            order.append((device, index))
            for spend in entry.spends {
                guard spend.expiryIsFixed, spend.expiry > horizon, let token = ByteOrder(spend.token) else { return nil }
                tokens.append(Token(expiry: spend.expiry.unixMilliseconds, token: spend.token, order: token))
            }
        }
        // Entries of one device in the order of the group.
        order.sort { $0.order == $1.order ? $0.index < $1.index : $0.order < $1.order }
        tokens.sort { $0.expiry == $1.expiry ? $0.order < $1.order : $0.expiry < $1.expiry }
        steps.reserveCapacity(order.count)
        for (_, index) in order { guard add(entries[index].advances[0], at: entries[index].time) else { return nil } }
    }

    /// False if the rule does not allow it, or if no state was seen.
    private mutating func add(_ advance: LedgerEntry.Advance, at time: Timestamp) -> Bool {
        if let last = steps.indices.last, steps[last].device == advance.device {
            guard let next = try? steps[last].after.advanced(to: advance.counter, rule: advance.rule) else { return false }
            steps[last].after = next
            steps[last].time = max(steps[last].time, time)
            return true
        }
        guard let seen = advance.seen, let next = try? seen.advanced(to: advance.counter, rule: advance.rule) else {
            return false
        }
        steps.append(Step(device: advance.device, before: seen, after: next, time: time))
        return true
    }

    /// The periods of the challenges.
    var periods: [SpentPeriod] {
        var periods: [SpentPeriod] = []
        for token in tokens {
            let period = SpentPeriod(of: Timestamp(unixMilliseconds: token.expiry))
            if periods.last != period { periods.append(period) }
        }
        return periods
    }

    /// What becomes of devices that may be cached.
    var changes: [DeviceChange] { steps.map { .counted($0.device, $0.after, at: $0.time) } }

    // MARK: The trip

    /// Counters, challenges and the horizon, in the order of locks. The horizon is read last, as in every group (`GroupKeys`).
    ///
    /// The update runs through its arrays in their order, since no plan of the session joins otherwise (`ServerEngine`). Arrays that are unnested
    /// side by side in a SELECT are not stored by the server before, as those in a FROM are.
    var trip: [SQLStatement] {
        let advance = SQLStatement(
            """
            UPDATE counters c SET counter = e.n, "window" = e.w, last_accepted_at = greatest(c.last_accepted_at, e.t)
            FROM (SELECT unnest($1::bytea[]) AS d, unnest($2::bigint[]) AS n, unnest($3::bigint[]) AS w, unnest($4::bigint[]) AS t,
                unnest($5::bigint[]) AS n0, unnest($6::bigint[]) AS w0) AS e
            WHERE c.device = e.d AND c.counter = e.n0 AND c."window" = e.w0 AND c.blocked = 0
            """,
            .bytesList(steps.map(\.device.bytes)), .int8s(steps.map { Int64($0.after.counter) }),
            .int8s(steps.map { Int64(bitPattern: $0.after.window) }), .int8s(steps.map(\.time.unixMilliseconds)),
            .int8s(steps.map { Int64($0.before.counter) }), .int8s(steps.map { Int64(bitPattern: $0.before.window) }))
        let spend = SQLStatement(
            """
            INSERT INTO spent (expiry, token) SELECT unnest($1::bigint[]), unnest($2::bytea[]) ON CONFLICT DO NOTHING
            """, .int8s(tokens.map(\.expiry)), .bytesList(tokens.map(\.token)))
        return [advance, spend, SQLStatement(SpentTable.horizon)]
    }

    /// The horizon, if all rows were changed and all challenges are above it; `nil`: an entry may have to be refused.
    func horizon(in answers: ArraySlice<PostgresRows>) throws(PostgresError) -> Timestamp? {
        guard answers.count == 3, let advanced = answers.first, let found = answers.last,
            let horizon = try found.first({ Timestamp(unixMilliseconds: $0.int64(0)) })
        else { throw .damaged("there is no spent horizon") }
        let spent = answers[answers.startIndex + 1]
        let isAbove = tokens.first.map { $0.expiry > horizon.unixMilliseconds } ?? true
        return advanced.affected == steps.count && spent.affected == tokens.count && isAbove ? horizon : nil
    }
}

extension LedgerEntry {
    /// Whether the entry only advances a counter, of the device that its record names, and spends tokens.
    fileprivate var isPlain: Bool {
        advances.count == 1 && (audit.device == nil || audit.device == advances[0].device) && registrations.isEmpty
            && idempotency == nil && subject == nil && certification == nil && replacement == nil && lookups.isEmpty
    }
}

/// 16 bytes as numbers, in the same order.
private struct ByteOrder: Comparable {
    private let high: UInt64
    private let low: UInt64

    /// `nil` unless there are 16.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        (high, low) = bytes.withUnsafeBytes { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    static func < (a: Self, b: Self) -> Bool { a.high == b.high ? a.low < b.low : a.high < b.high }
}
