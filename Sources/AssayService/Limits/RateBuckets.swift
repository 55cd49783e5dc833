import AssayCore
import Crypto
import Synchronization

/// The buckets of all rate limits of a daemon. They outlive a reload: what was used stays used, whatever the new rates are.
package final class RateBuckets: Sendable {
    /// What a bucket counts. Each has buckets of its own: a rate of 100 an hour allows 100 challenges and 100 verdicts.
    package enum Use: UInt64, CaseIterable, Sendable {
        /// Challenges, and what a plugin prepares.
        case challenges = 1
        /// Requests for verdicts and for certificates.
        case verdicts = 2
        /// Look-ups of verdicts.
        case lookups = 3

        /// The name in answers.
        package var name: String {
            switch self {
            case .challenges: "challenges"
            case .verdicts: "verdicts"
            case .lookups: "lookups"
            }
        }
    }

    let hash: KeyedHash
    private let tables: [(limit: RateLimit, table: BucketTable)]
    private let fileKey: SymmetricKey
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - secret: the key of the hashes under which the buckets stand, 32 bytes; the same at each start.
    ///   - clock: a clock that cannot be set, in microseconds.
    ///   - places: buckets of one limit that are not full; `nil`: as many as the limit usually has.
    package init(
        secret: [UInt8], places: Int? = nil, clock: @escaping @Sendable () -> Int64 = { BootClock.microseconds() }
    ) {
        hash = KeyedHash(secret: secret)
        fileKey = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Array("assay.rates.file.v1".utf8), using: SymmetricKey(data: secret)))
        tables = RateLimit.allCases.map { ($0, BucketTable(places: places ?? $0.usualPlaces)) }
        self.clock = clock
    }

    /// Now, in microseconds of a clock that cannot be set.
    package func now() -> Int64 { clock() }

    func table(_ limit: RateLimit) -> BucketTable {
        switch limit {
        case .caller: tables[0].table
        case .callerInApp: tables[1].table
        case .app: tables[2].table
        case .address: tables[3].table
        case .device: tables[4].table
        }
    }
}

extension RateLimit {
    /// Buckets that are not full at once: 24 bytes each.
    fileprivate var usualPlaces: Int {
        switch self {
        case .caller, .app: 4096
        case .callerInApp: 16_384
        case .address: 131_072
        case .device: 262_144
        }
    }
}

// MARK: Levels over a restart

extension RateBuckets {
    /// What a bucket lacks is kept from this on, in microseconds.
    private static let leastKept: Int64 = 1_000_000
    private static let mark = Array("assay.rates.v1\n".utf8)
    private static let entryLength = 1 + 16 + 8
    private static let macLength = 32
    /// The most bytes that ``levels()`` writes: every place of every table.
    package var levelsLimit: Int {
        Self.mark.count + 8 + Self.macLength + tables.reduce(0) { $0 + $1.table.places } * Self.entryLength
    }

    /// Whether a token was taken since this was asked last.
    package func takeChanged() -> Bool { tables.reduce(false) { $1.table.takeChanged() || $0 } }

    /// What the buckets lack, for the next start: keys as keyed hashes, and a keyed checksum.
    package func levels() -> [UInt8] {
        let now = now()
        var bytes = Self.mark
        bytes.append(number: now)
        for (limit, table) in tables {
            for (key, missing) in table.entries(missing: Self.leastKept, at: now) {
                bytes.append(limit.number)
                bytes.append(number: Int64(bitPattern: key.first))
                bytes.append(number: Int64(bitPattern: key.second))
                bytes.append(number: missing)
            }
        }
        return bytes + HMAC<SHA256>.authenticationCode(for: bytes, using: fileKey)
    }

    /// Takes over what ``levels()`` wrote before. The time since counts by the machine's uptime: if the machine was started again, only the
    /// time since then, so that no clock that is wrong gives tokens.
    ///
    /// - Returns: the number of buckets; `nil` if the bytes are not what was written, or by another key. Then no bucket is changed.
    package func restore(_ bytes: [UInt8]) -> Int? {
        let body = bytes.dropLast(Self.macLength)
        guard bytes.count <= levelsLimit, body.count >= Self.mark.count + 8, body.starts(with: Self.mark),
            (body.count - Self.mark.count - 8) % Self.entryLength == 0,
            HMAC<SHA256>.isValidAuthenticationCode(bytes.suffix(Self.macLength), authenticating: body, using: fileKey)
        else { return nil }
        var rest = body.dropFirst(Self.mark.count)
        let (now, written) = (now(), rest.takeNumber())
        let passed = max(0, written <= now ? now - written : now)
        var count = 0
        while let number = rest.popFirst() {
            let key = BucketTable.Key(
                first: UInt64(bitPattern: rest.takeNumber()), second: UInt64(bitPattern: rest.takeNumber()))
            let missing = min(rest.takeNumber(), Self.longestMissing) - passed
            guard let limit = RateLimit.allCases.first(where: { $0.number == number }), missing > 0 else { continue }
            table(limit).restore(key, missing: missing, at: now)
            count += 1
        }
        return count
    }

    /// Beyond the capacity of every rule.
    private static let longestMissing: Int64 = 1 << 58
}

extension RateLimit {
    /// In the file.
    fileprivate var number: UInt8 {
        switch self {
        case .caller: 1
        case .callerInApp: 2
        case .app: 3
        case .address: 4
        case .device: 5
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: Int64) { Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) } }
}

extension ArraySlice<UInt8> {
    /// The next eight bytes; fewer count as zeros in front.
    fileprivate mutating func takeNumber() -> Int64 {
        defer { self = dropFirst(8) }
        return prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}
