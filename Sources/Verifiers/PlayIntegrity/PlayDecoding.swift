/// Who opens an app's tokens.
package enum PlayDecoding: String, CaseIterable, Hashable, Sendable {
    /// We do, with the keys of the Play Console. Tokens of standard requests cannot be opened so.
    case local
    /// Google's service does.
    case google
    /// We do where one of our keys opens the token, and otherwise Google: for rotations, and for apps with both kinds of request.
    case localThenGoogle = "local_then_google"
}
