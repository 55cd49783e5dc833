/// A key in a PKCS#11 token.
package struct TokenKeySettings: Hashable, Sendable {
    /// The path of the module.
    package var module: String
    package var tokenLabel: String
    package var keyLabel: String
    /// A file of mode 0600 with the user's PIN.
    package var pinFile: String

    package init(module: String, tokenLabel: String, keyLabel: String, pinFile: String) {
        (self.module, self.tokenLabel, self.keyLabel, self.pinFile) = (module, tokenLabel, keyLabel, pinFile)
    }
}
