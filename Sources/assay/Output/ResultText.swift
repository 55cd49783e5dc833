import AssayAPI
import AssayCore

/// The output form of what came of a result, for people and for tools.
struct ResultText {
    let result: Assay_V1_SignedResult

    private var shape: String { ResultShape(result.shape)?.rawValue ?? "unknown" }

    /// The token as it is: ASCII, or CBOR. `nil`: nothing was signed.
    var token: [UInt8]? {
        switch result.outcome {
        case .text(let token)?: Array(token.utf8)
        case .binary(let token)?: Array(token)
        case .problem?, nil: nil
        }
    }

    /// CBOR as base64url.
    private var tokenText: String? {
        if case .binary(let token)? = result.outcome { return Base64.url.encode(token) }
        return token.map { String(decoding: $0, as: UTF8.self) }
    }

    private var expiry: Timestamp { Timestamp(unixMilliseconds: result.expiresAtUnixMs) }

    var lines: [String] {
        guard let tokenText else {
            return ["  result    \(shape): not signed, \(result.problem.code): \(result.problem.sentence)"]
        }
        return [
            "  result    \(shape) for \(result.audience) until \(expiry), id \(Base64.url.encode(result.id))", "  " + tokenText,
        ]
    }

    var json: [String: Any] {
        var object: [String: Any] = ["shape": shape, "audience": result.audience]
        guard let tokenText else {
            object["problem"] = ["code": result.problem.code, "sentence": result.problem.sentence]
            return object
        }
        object["token"] = tokenText
        object["id"] = Base64.url.encode(result.id)
        object["expires_at"] = expiry.description
        return object
    }
}
