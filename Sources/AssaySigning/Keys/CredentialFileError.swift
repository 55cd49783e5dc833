/// A file of a key or a certificate, or a token's module, that cannot be used. Nothing secret is in it.
package struct CredentialFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// What is wrong, to stand behind the path.
    package let problem: String

    package init(_ path: String, _ problem: String) { (self.path, self.problem) = (path, problem) }

    package var description: String { "\(path) \(problem)" }
}
