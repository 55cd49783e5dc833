/// A configuration that cannot be used: every problem that was found, not only the first.
package struct ConfigurationError: Error, CustomStringConvertible {
    package struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// Counted from 1; `nil` where the problem is not at one place in the file.
        package let line: Int?
        /// The way to the value, e.g. `apps.camera.app_attest`.
        package let path: String
        package let message: String
        /// `nil`: the file of the error. Otherwise a file of the catalog of plugins.
        package var file: String?

        package var description: String { path.isEmpty ? message : "\(path): \(message)" }
    }

    package let file: String
    package let problems: [Problem]

    package init(file: String, problems: [Problem]) { (self.file, self.problems) = (file, problems) }

    package init(file: String, _ message: String) {
        self.init(file: file, problems: [Problem(line: nil, path: "", message: message)])
    }

    /// One line a problem: `file:line: path: message`.
    package var description: String {
        problems.map { problem in
            let file = problem.file ?? file
            return problem.line.map { "\(file):\($0): \(problem)" } ?? "\(file): \(problem)"
        }.joined(separator: "\n")
    }
}
