/// Where an app's tokens are decrypted.
package enum PlayDecoding: String, CaseIterable, Hashable, Sendable {
    /// In the daemon, with the keys of the Play Console. Not possible for tokens of standard requests.
    case local
    /// By Google's service.
    case google
    /// In the daemon if one of the keys decrypts the token, otherwise by Google's service: for rotations, and for apps with
    /// both kinds of request.
    case localThenGoogle = "local_then_google"
}
