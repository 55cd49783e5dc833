/// The greatest number of open questions to sources outside, and of kept answers, of one app.
///
/// The shares of all apps together do not exceed the whole, so that evidence for one app, however much of it, takes nothing from
/// another app.
package struct InquiryShare: Hashable, Sendable {
    /// Kept answers of all apps together. An answer has some kilobytes.
    package static let answerCapacity = 16_384

    /// Open questions.
    package let questions: Int
    /// Kept answers; and, by themselves, challenges that a question has claimed.
    package let answers: Int

    package init(questions: Int, answers: Int) { (self.questions, self.answers) = (questions, answers) }

    /// Equal shares.
    ///
    /// - Parameters:
    ///   - apps: the number of apps that have answer sources.
    ///   - callLimit: the calls to vendors that may be open at a time. One share of them is left to the daemon's own calls: for newer
    ///     receipts, and for lists.
    package init(apps: Int, callLimit: Int) {
        let apps = max(1, apps)
        self.init(questions: max(1, callLimit / (apps + 1)), answers: max(1, Self.answerCapacity / apps))
    }
}
