/// A kind of call in a load. What a call needs is made ahead, so that an arrival has nothing to do but to send.
package protocol LoadOperation: Sendable {
    /// As in `--mix`.
    var name: String { get }

    /// A call that is ready; `nil`: none is, and the arrival is counted as not sent. Does not wait.
    func next() -> LoadCall?

    /// Makes what calls need, until the task is cancelled.
    func keepReady() async
}

/// Sends a call and waits for its end. It never throws: an error is an answer that was not expected.
package typealias LoadCall = @Sendable () async -> CallAnswer

/// How a call ended.
package struct CallAnswer: Hashable, Sendable {
    /// By which answers are counted, such as `accepted`, `rejected: bad_signature` or `UNAVAILABLE (overloaded)`.
    package let word: String
    package let isExpected: Bool
    /// Whether its time counts: of answers, and of calls that waited as long as they may. A call that fails at once would make a load look
    /// fast.
    package let isTimed: Bool

    package init(_ word: String, isExpected: Bool, isTimed: Bool = true) {
        (self.word, self.isExpected, self.isTimed) = (word, isExpected, isTimed)
    }
}

/// Why an arrival was not sent.
package enum NotSent: String, CaseIterable, Hashable, Sendable {
    /// As many calls as may be in flight waited for their answers.
    case inFlightLimit = "in_flight_limit"
    /// All devices waited for an answer, or for their next challenge.
    case noDeviceReady = "no_device_ready"
}
