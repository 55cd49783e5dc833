import AssayCore

/// The major version of the operating system that made a key.
struct SystemVersion {
    /// iOS 27 and its siblings are the first to append extensions to authenticator data.
    static let firstWithExtensions = 27

    let major: Int

    /// From a text such as `17.2.1`; `nil` where it does not begin with a number.
    init?(_ text: String) {
        guard let major = Int(text.prefix { $0 != "." }) else { return nil }
        self.major = major
    }

    /// The one that a registration claims, if any.
    init?(_ registered: Claims) {
        guard let text = registered.text("os_version") else { return nil }
        self.init(text)
    }

    var appendsExtensions: Bool { major >= Self.firstWithExtensions }
}
