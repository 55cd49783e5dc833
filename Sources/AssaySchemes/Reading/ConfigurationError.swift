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

/// Finds the word that was probably meant.
package enum Spelling {
    /// The nearest of `words`, which are lower case, if it is near enough to be worth a question: at most a third of the letters differ.
    ///
    /// - Parameter edits: the most that may differ besides, where `words` are not all that there are.
    package static func nearest(to word: String, among words: some Collection<String>, within edits: Int = .max) -> String? {
        let best = words.map { (word: $0, distance: distance(Array(word.lowercased().utf8), Array($0.utf8))) }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
        guard let best, best.distance <= min(edits, max(1, word.utf8.count / 3)) else { return nil }
        return best.word
    }

    /// Insertions, deletions, replacements and swaps of neighbours.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var (before, previous, current) = ([Int](), [Int](), Array(0...b.count))
        for i in 0..<a.count {
            (before, previous) = (previous, current)
            current = [i + 1]
            for j in 0..<b.count {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
                current.append(cost)
            }
        }
        return current[b.count]
    }
}
