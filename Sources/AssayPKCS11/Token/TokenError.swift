/// Why a token did not do what was asked. Sentences contain no PIN.
package struct TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, CaseIterable, Sendable {
        /// The library cannot be loaded, or is no PKCS#11 module.
        case moduleUnusable = "module_unusable"
        /// No token answers to the label, serial number or slot.
        case tokenAbsent = "token_absent"
        /// Several tokens have the label or serial number.
        case tokenAmbiguous = "token_ambiguous"
        /// The PIN file is missing, is readable by others, is empty or too long.
        case pinUnusable = "pin_unusable"
        /// The token refused the PIN or is locked. The same PIN is not tried again before `Token.reload`.
        case pinRefused = "pin_refused"
        case keyAbsent = "key_absent"
        /// Several keys have the label or id.
        case keyAmbiguous = "key_ambiguous"
        /// A key with this label or id exists, and none is made.
        case keyExists = "key_exists"
        /// Not a key of P-256, P-384 or Ed25519 that signs, or its protection is not as ordered.
        case keyUnsuitable = "key_unsuitable"
        /// The key of this name is not the expected one.
        case keyMismatch = "key_mismatch"
        /// The token's signature is not one of its key over the digest.
        case signatureInvalid = "signature_invalid"
        /// A PKCS#11 function returned an error, or lengths beyond its bounds; or the system creates no thread for the token.
        case failed
        /// No answer within the deadline. What was asked for may still happen, and its result is dropped.
        case timedOut = "timed_out"
        /// A call has been hanging for longer than the deadline; the request was not passed on.
        case notAnswering = "not_answering"
        /// As many requests as the limit wait.
        case busy
        case cancelled
        case closed
    }

    package let code: Code
    /// A sentence for people.
    package let detail: String
    /// What the PKCS#11 function returned, where one did.
    package let returned: ReturnCode?

    package init(_ code: Code, _ detail: String, returned: ReturnCode? = nil) {
        (self.code, self.detail, self.returned) = (code, detail, returned)
    }

    init(returned code: ReturnCode, from function: String) {
        self.init(.failed, "\(function) returned \(code)", returned: code)
    }

    package var description: String { detail }

    /// The session is useless, or may be: a new one is opened.
    var endsSession: Bool {
        switch code {
        case .failed: !(returned?.leavesSessionOpen ?? false)
        case .signatureInvalid, .tokenAbsent: true
        default: false
        }
    }
}
