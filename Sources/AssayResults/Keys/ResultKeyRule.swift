/// How the keys of results follow each other, in milliseconds.
package struct ResultKeyRule: Hashable, Sendable {
    /// How long a key signs.
    package var lifetime: Int64 = 90 * 86_400_000
    /// How long a key is published before it signs: those who check results read the published keys at least as often.
    package var publishAhead: Int64 = 86_400_000

    package init() {}

    /// The longest life of a result.
    package static let longestResult: Int64 = 86_400_000
    /// How long a key stays published after another signs: as long as what it signed is good, and an hour for clocks that differ.
    package static let retention = longestResult + 3_600_000
    /// So long before signing ends for want of a key a person is told.
    package static let notice: Int64 = 7 * 86_400_000

    /// How long those who check results may keep the published keys: no longer than half of the time before a key signs.
    package var cacheLifetime: Int64 { min(3_600_000, publishAhead / 2) }
}
