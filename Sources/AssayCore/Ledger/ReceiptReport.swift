/// How the exchange of receipts goes, for people.
package struct ReceiptReport: Hashable, Sendable {
    /// Receipts that were due when they were last looked for, `DueReceipts.countLimit` for each app and environment at most.
    package var due = 0
    /// Since the start: newer receipts that were kept, attempts that came to nothing, and receipts that nothing more is known of.
    package var exchanged: UInt64 = 0
    package var failed: UInt64 = 0
    package var ended: UInt64 = 0
    /// The last thing that went wrong.
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
