import Foundation

/// The words by which a backend says what the phone does next: those of docs/start/act-on-a-verdict.md, and the daemon's retry classes,
/// which some handlers pass on.
enum AnswerWord: String, CaseIterable {
    case done
    case newChallenge = "new_challenge"
    case register
    case reAttest = "re_attest"
    case later
    case giveUp = "give_up"
    case never
    case contactOperator = "contact_operator"

    /// The member `then` of a JSON object, or a body that is nothing but the word.
    init?(body: Data) {
        struct Answer: Decodable {
            let then: String
        }
        let text: String
        if let answer = try? JSONDecoder().decode(Answer.self, from: body) {
            text = answer.then
        } else if body.count <= 32, let whole = String(data: body, encoding: .utf8) {
            text = whole.trimmingCharacters(in: .whitespacesAndNewlines)
        } else {
            return nil
        }
        self.init(rawValue: text)
    }
}
