/// What one app may have of the questions to vendors that are under way, and of the answers that are kept.
///
/// The shares of all apps together are no more than there is, so that the evidence that one app is sent, however much of it,
/// takes nothing from another app.
package struct InquiryShare: Hashable, Sendable {
    /// Answers that are kept for all apps together. An answer is some kilobytes.
    package static let answerCapacity = 16_384

    /// Questions under way at a time.
    package let questions: Int
    /// Answers that are kept, and challenges that were claimed by a question: this many of each.
    package let answers: Int

    package init(questions: Int, answers: Int) { (self.questions, self.answers) = (questions, answers) }

    /// Equal shares.
    ///
    /// - Parameters:
    ///   - apps: how many apps ask vendors about evidence.
    ///   - callLimit: calls to vendors that may be under way at a time. One share of them is kept for what the daemon asks by
    ///     itself: newer receipts, and lists.
    package init(apps: Int, callLimit: Int) {
        let apps = max(1, apps)
        self.init(questions: max(1, callLimit / (apps + 1)), answers: max(1, Self.answerCapacity / apps))
    }
}
