package import AssayCore

/// The answer of Apple's receipt service (Apple, "Assessing fraud risk").
package enum ReceiptAnswer: Hashable, Sendable {
    /// 200: the newer receipt, decoded from Base64 and not verified.
    case exchanged([UInt8])
    /// 304: there is no newer receipt yet.
    case tooEarly
    /// 400: the receipt is of the other environment.
    case wrongEnvironment
    /// 400 and every other 4xx: a repetition would not help.
    case refused(status: Int)
    /// 401: the token is refused, or its team is not the receipt's.
    case unauthorized
    /// 404: the service has no data for this receipt; usual about a month after the attestation.
    case noData
    /// 429, 5xx: try later, and not before the milliseconds that the service asks for.
    case later(status: Int, asked: Int64?)
    /// None of these: a redirect, a 200 with something other than Base64, or an HTML page, which comes from a proxy.
    case unreadable(status: Int)

    package init(_ answer: VendorAnswer, at now: Timestamp) {
        let text = (answer.text ?? "").lowercased()
        switch answer.status {
        case 200:
            let body = answer.text.map(Self.trimmed)
            self =
                body.flatMap { Base64.standard.decode($0) }.map { $0.isEmpty ? .unreadable(status: 200) : .exchanged($0) }
                ?? .unreadable(status: 200)
        case 304: self = .tooEarly
        case 401: self = .unauthorized
        case 429, 500...599:
            self = .later(status: answer.status, asked: answer.headers.retryAfterMilliseconds(at: now))
        case 400...499 where Self.trimmed(text).hasPrefix("<"): self = .unreadable(status: answer.status)
        case 400 where text.contains("incorrect environment"): self = .wrongEnvironment
        case 404: self = .noData
        case 400...499: self = .refused(status: answer.status)
        default: self = .unreadable(status: answer.status)
        }
    }

    /// Without white space at both ends.
    private static func trimmed(_ text: String) -> Substring {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}

extension ReceiptAnswer {
    /// Why there is no newer receipt, for people.
    var problem: String {
        switch self {
        case .exchanged: "there is a newer receipt"
        case .tooEarly: "there is no newer receipt yet (status 304)"
        case .noData: "Apple has no data for the receipt (status 404)"
        case .wrongEnvironment: "Apple says that the receipt is of the other environment; are the addresses the right ones?"
        case .refused(let status): "Apple does not take the receipt (status \(status))"
        case .unauthorized: "Apple does not take the token: is the key the team's, and the team the app's? (status 401)"
        case .later(let status, _): "Apple's service has no answer now (status \(status))"
        case .unreadable(let status): "what answered is not Apple's service (status \(status))"
        }
    }
}
