/// An answer of the test server, with the fault that it simulates.
public struct TestHTTPSAnswer: Sendable {
    /// How an answer ends.
    public enum Ending: Sendable {
        /// The whole body; the connection stays open.
        case whole
        /// Half of the body; then the server closes the connection.
        case cutShort
        /// Half of the body; then nothing, on an open connection.
        case stalled
        /// No byte; the connection stays open.
        case silent
        /// No byte; the server closes the connection.
        case hungUp
    }

    public var status: Int
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    public var ending: Ending
    /// The time between request and answer.
    public var delay: Duration

    public init(
        _ status: Int = 200, _ body: [UInt8] = [], headers: [(name: String, value: String)] = [],
        ending: Ending = .whole, delay: Duration = .zero
    ) {
        (self.status, self.body, self.headers) = (status, body, headers)
        (self.ending, self.delay) = (ending, delay)
    }

    public init(
        _ status: Int = 200, text: String, headers: [(name: String, value: String)] = [], ending: Ending = .whole,
        delay: Duration = .zero
    ) {
        self.init(status, Array(text.utf8), headers: headers, ending: ending, delay: delay)
    }

    public static func json(_ text: String, status: Int = 200) -> TestHTTPSAnswer {
        TestHTTPSAnswer(status, text: text, headers: [("content-type", "application/json")])
    }

    /// A body of `count` zero bytes.
    public static func zeros(_ count: Int) -> TestHTTPSAnswer {
        TestHTTPSAnswer(200, [UInt8](repeating: 0, count: count))
    }

    public static let silence = TestHTTPSAnswer(ending: .silent)
    public static let hangUp = TestHTTPSAnswer(ending: .hungUp)
}
