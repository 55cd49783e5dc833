/// The two kinds of request for a token. They differ in the field that binds it.
package enum PlayRequestKind: String, CaseIterable, Hashable, Sendable {
    /// `nonce`, as base64url. May be decoded any number of times.
    case classic
    /// `requestHash`, a text. Only Google decodes it, and clears the verdicts when it is decoded again.
    case standard
}
