/// The two ways in which an app asks for a token. They differ in the field that binds it.
package enum PlayRequestKind: String, CaseIterable, Hashable, Sendable {
    /// `nonce`, as base64url. May be decoded any number of times.
    case classic
    /// `requestHash`, a text. Only Google decodes it, and blanks its verdicts when it is asked again.
    case standard
}
