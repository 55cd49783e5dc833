import Glibc

/// A file of a plugin cannot be used.
package struct PluginFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The end of a sentence that begins with the path.
    package let problem: String

    package var description: String { "\(path) \(problem)" }

    init(_ path: String, _ problem: String) { (self.path, self.problem) = (path, problem) }

    init(_ path: String, opening error: Int32) {
        switch error {
        case ELOOP, EXDEV: self.init(path, Self.link(path))
        case EINVAL where !path.hasPrefix("/"): self.init(path, "is not an absolute path")
        case ENXIO: self.init(path, "is neither a regular file nor a folder")
        default: self.init(path, "cannot be opened: \(Self.text(error))")
        }
    }

    private static func link(_ path: String) -> String {
        guard let target = realpath(path, nil) else { return "is a symbolic link, or has one on its way: name the file itself" }
        defer { free(target) }
        return "is a symbolic link, or has one on its way: name the file itself, \(String(cString: target))"
    }

    static func text(_ error: Int32) -> String { String(cString: strerror(error)) }
}
