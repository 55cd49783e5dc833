import Foundation
import Testing

@testable import AssayPhone

@Suite("Answers of a backend")
struct HTTPAnswerTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    private func outcome(_ status: Int, _ body: String, retryAfter: String? = nil) -> Result<BackendAnswer, BackendError> {
        do throws(BackendError) {
            return .success(try HTTPAnswer(status: status, body: Data(body.utf8), retryAfter: retryAfter).next(at: Self.now))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "each word of the pages and each retry class has one meaning, by any fitting status",
        arguments: [
            (200, "done", Result<BackendAnswer, BackendError>.success(.done)), (201, "done", .success(.done)),
            (409, "new_challenge", .success(.newChallenge)), (403, "new_challenge", .success(.newChallenge)),
            (409, "register", .success(.register)), (403, "re_attest", .success(.register)),
            (503, "later", .failure(.later(after: nil))), (500, "later", .failure(.later(after: nil))),
            (403, "give_up", .failure(.refused(.unspecified))), (403, "never", .failure(.refused(.never))),
            (403, "contact_operator", .failure(.refused(.contactOperator))), (400, "give_up", .failure(.refused(.unspecified))),
        ])
    func words(_ status: Int, _ word: String, _ expected: Result<BackendAnswer, BackendError>) {
        #expect(outcome(status, "{\"then\": \"\(word)\", \"more\": [1, null]}") == expected)
        #expect(outcome(status, word + "\n") == expected)
    }

    @Test("every retry class of the daemon is a word")
    func retryClasses() {
        let classes = ["never", "later", "contact_operator", "new_challenge", "re_attest"]
        #expect(classes.allSatisfy { AnswerWord(rawValue: $0) != nil })
    }

    @Test(
        "without a word the status counts",
        arguments: [
            (200, "", Result<BackendAnswer, BackendError>.success(.done)), (201, "", .success(.done)),
            (409, "", .success(.newChallenge)), (410, "gone", .success(.register)),
            (429, "", .failure(.later(after: nil))), (502, "<html>", .failure(.later(after: nil))),
            (503, "later (unavailable)", .failure(.later(after: nil))), (400, "", .failure(.refused(.never))),
            (403, "no", .failure(.refused(.unspecified))), (401, "", .failure(.signedOut)),
            (401, "{\"then\": \"done\"}", .failure(.signedOut)),
        ])
    func statuses(_ status: Int, _ body: String, _ expected: Result<BackendAnswer, BackendError>) {
        #expect(outcome(status, body) == expected)
    }

    @Test(
        "what says nothing known is a wrong answer, and never success",
        arguments: [
            (200, "<html>Welcome to the hotel</html>"), (200, "{}"), (200, "{\"then\": 1}"), (200, "{\"then\": \"DONE\"}"),
            (200, "{\"then\": \"dones\"}"), (200, "[\"done\"]"), (403, "{\"then\": \"done\"}"), (500, "done"), (302, ""),
            (404, ""),
            (100, ""), (0, "done"), (200, String(repeating: "[", count: 60000)),
        ])
    func wrong(_ status: Int, _ body: String) {
        guard case .failure(.wrongAnswer) = outcome(status, body) else {
            Issue.record("\(outcome(status, body))")
            return
        }
    }

    @Test(
        "Retry-After is seconds or a date; anything else is ignored, and a past date is 0",
        arguments: [
            ("5", Duration.seconds(5)), (" 120 ", .seconds(120)), ("0", .seconds(0)), ("999999999", .seconds(999_999_999)),
            ("1000000000", nil), ("-1", nil), ("1.5", nil), ("", nil), ("soon", nil),
            (String(repeating: "9", count: 5000), nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sun, 06 Nov 1994 08:49:36 GMT", .seconds(0)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), (String(repeating: "x", count: 5000), nil),
        ])
    func retryAfter(_ field: String, _ expected: Duration?) {
        #expect(outcome(503, "", retryAfter: field) == .failure(.later(after: expected)))
    }

    @Test("a challenge is 54 bytes in Base64, with status 200")
    func challenge() throws {
        let bytes = Data(repeating: 7, count: 54)
        let body = Data("{\"challenge\": \"\(bytes.base64EncodedString())\"}".utf8)
        #expect(try HTTPAnswer(status: 200, body: body, retryAfter: nil).challenge(at: Self.now).bytes == bytes)
    }

    @Test(
        "any other challenge is a wrong answer",
        arguments: [
            (200, "{\"challenge\": \"AAAA\"}"), (200, "{\"challenge\": \"???\"}"), (200, "{\"challenge\": 7}"), (200, ""),
            (200, "{\"then\": \"done\"}"), (409, "{\"then\": \"new_challenge\"}"),
            (201, "{\"challenge\": \"\(Data(count: 54).base64EncodedString())\"}"),
        ])
    func wrongChallenge(_ status: Int, _ body: String) {
        #expect {
            try HTTPAnswer(status: status, body: Data(body.utf8), retryAfter: nil).challenge(at: Self.now)
        } throws: { error in
            guard case .wrongAnswer = error as? BackendError else { return false }
            return true
        }
    }

    @Test("a backend that has no challenge now says later")
    func noChallenge() {
        #expect(throws: BackendError.later(after: .seconds(5))) {
            try HTTPAnswer(status: 503, body: Data("{\"then\": \"later\"}".utf8), retryAfter: "5").challenge(at: Self.now)
        }
    }
}
