import Foundation

/// A status and a body of bounded size.
struct HTTPAnswer {
    let status: Int
    let body: Data
    /// The header field `Retry-After`, as it came.
    let retryAfter: String?

    /// The challenge of an answer `{"challenge": "…"}`.
    func challenge(at now: Date) throws(BackendError) -> Challenge {
        struct Answer: Decodable {
            let challenge: Challenge
        }
        if status == 200, let answer = try? JSONDecoder().decode(Answer.self, from: body) { return answer.challenge }
        _ = try next(at: now)
        throw .wrongAnswer("status \(status) with no challenge of \(Challenge.length) bytes")
    }

    /// What the phone does next. The word of the body counts; without one the status does.
    func next(at now: Date) throws(BackendError) -> BackendAnswer {
        guard status != 401 else { throw .signedOut }
        let isSuccess = (200...299).contains(status)
        switch AnswerWord(body: body) {
        case .done where isSuccess: return .done
        case .done: throw .wrongAnswer("status \(status) with \"done\"")
        case .newChallenge: return .newChallenge
        case .register, .reAttest: return .register
        case .later: throw .later(after: pause(at: now))
        case .giveUp: throw .refused(.unspecified)
        case .never: throw .refused(.never)
        case .contactOperator: throw .refused(.contactOperator)
        case nil: break
        }
        switch status {
        case 200...299 where body.isEmpty: return .done
        case 409: return .newChallenge
        case 410: return .register
        case 408, 429, 500, 502, 503, 504: throw .later(after: pause(at: now))
        case 400, 413: throw .refused(.never)
        case 403: throw .refused(.unspecified)
        default: throw .wrongAnswer("status \(status) with \(body.count) bytes that say nothing known")
        }
    }

    /// RFC 9110 §10.2.3: seconds, at most 9 digits, or a date of the preferred form. Anything else is ignored, a past date is 0.
    func pause(at now: Date) -> Duration? {
        guard let text = retryAfter?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return text.utf8.count <= 9 ? Int(text).map { .seconds($0) } : nil
        }
        guard text.utf8.count <= 40 else { return nil }
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = TimeZone(identifier: "GMT")
        form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = form.date(from: text) else { return nil }
        let seconds = date.timeIntervalSince(now).rounded(.up)
        return .seconds(min(max(seconds, 0), 999_999_999))
    }
}
