/// How long published status lists are good.
package struct StatusListRule: Hashable, Sendable {
    /// From `iat` to `exp`, in milliseconds: a list is signed again at half of it, and is served as long while the ledger does not answer.
    package var lifetime: Int64 = 3_600_000

    package init() {}

    /// A list outlives no key: what a key signed is checked as long as results of the longest life.
    package static let lifetimes: ClosedRange<Int64> = 300_000...ResultKeyRule.longestResult
}
