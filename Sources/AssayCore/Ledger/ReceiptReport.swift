/// The progress of the exchange of receipts, for operators.
package struct ReceiptReport: Hashable, Sendable {
    /// The number of receipts due at the last look, at most `DueReceipts.countLimit` for each app and environment.
    package var due = 0
    /// Since the start of the daemon: newer receipts stored, failed attempts, and exchanges that ended.
    package var exchanged: UInt64 = 0
    package var failed: UInt64 = 0
    package var ended: UInt64 = 0
    /// The last failure.
    package var problem: Problem?

    package struct Problem: Hashable, Sendable {
        package let at: Timestamp
        package let text: String
        package init(at: Timestamp, text: String) { (self.at, self.text) = (at, text) }
    }

    package init(due: Int = 0, exchanged: UInt64 = 0, failed: UInt64 = 0, ended: UInt64 = 0, problem: Problem? = nil) {
        (self.due, self.exchanged, self.failed) = (due, exchanged, failed)
        (self.ended, self.problem) = (ended, problem)
    }
}
