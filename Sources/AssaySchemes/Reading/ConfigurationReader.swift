package import AssayCore
import Yams

/// Reads a YAML document section by section and collects every problem on the way, each with its line.
package final class ConfigurationReader {
    /// A configuration larger than this is a mistake, in bytes.
    package static let sizeLimit = 1 << 20

    package let file: String
    package private(set) var problems: [ConfigurationError.Problem] = []
    /// What is no error, in the order in which it was met.
    package private(set) var findings: [ConfigurationFinding] = []
    /// Where each value that was asked for stands, by the way to it.
    package private(set) var lines: [String: Int] = [:]
    /// The files and sockets that are named, by the way to each.
    package private(set) var paths: [(key: String, path: String)] = []

    package init(file: String) { self.file = file }

    /// The document's top section.
    package func open(_ text: String) throws(ConfigurationError) -> Section {
        guard text.utf8.count <= Self.sizeLimit else {
            throw ConfigurationError(file: file, "larger than \(Self.sizeLimit) bytes")
        }
        if let line = YAMLText.lineOfAlias(in: text) {
            throw ConfigurationError(
                file: file,
                problems: [.init(line: line, path: "", message: "aliases (*name) are not read; write the value out")])
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            let (line, message) = YAMLText.explain(error)
            throw ConfigurationError(file: file, problems: [.init(line: line, path: "", message: message)])
        }
        guard let root else { throw ConfigurationError(file: file, "the file is empty") }
        return Section(reader: self, value: Value(reader: self, path: "", node: root))
    }

    package func report(_ message: String, at path: String, line: Int?) {
        problems.append(ConfigurationError.Problem(line: line, path: path, message: message))
    }

    fileprivate func remember(_ value: Value) { lines[value.path] = value.line }

    package func warn(_ code: ConfigurationFinding.Code, _ message: String, at path: String, line: Int?) {
        findings.append(ConfigurationFinding(code, line: line, path: path, message))
    }

    /// Throws if anything was reported: in the order of the lines.
    package func finish() throws(ConfigurationError) {
        guard !problems.isEmpty else { return }
        let inOrder = problems.enumerated().sorted { a, b in
            guard a.element.file == nil, b.element.file == nil else {
                return (a.element.file ?? "", a.offset) < (b.element.file ?? "", b.offset)
            }
            return (a.element.line ?? .max, a.offset) < (b.element.line ?? .max, b.offset)
        }
        throw ConfigurationError(file: file, problems: inOrder.map(\.element))
    }

    /// Takes over what was found in another file that belongs to the configuration. Its problems stand after the own ones.
    package func add(_ other: ConfigurationReader) {
        for problem in other.problems.sorted(by: { ($0.line ?? .max) < ($1.line ?? .max) }) {
            var problem = problem
            problem.file = other.file
            problems.append(problem)
        }
        for finding in other.findings {
            var finding = finding
            finding.file = other.file
            findings.append(finding)
        }
        paths += other.paths.map { (key: "\(other.file): \($0.key)", path: $0.path) }
    }

    /// A problem of a file that cannot be read at all.
    package func add(_ error: ConfigurationError) {
        for problem in error.problems {
            var problem = problem
            problem.file = problem.file ?? error.file
            problems.append(problem)
        }
    }

    /// A node and the way to it. Each reading method reports what is wrong and returns `nil`.
    package struct Value {
        package let reader: ConfigurationReader
        package let path: String
        let node: Node

        package var line: Int? { node.mark?.line }

        package func report(_ message: String) { reader.report(message, at: path, line: line) }

        package func warn(_ code: ConfigurationFinding.Code, _ message: String) {
            reader.warn(code, message, at: path, line: line)
        }

        /// A key without a value, or `~`, or `null`.
        package var isNothing: Bool { node.null != nil }

        private func wrong(_ want: String) -> String {
            let have: String
            switch node {
            case .scalar where isNothing: have = "nothing"
            case .scalar(let scalar): have = "\"\(scalar.string.prefix(60))\""
            case .mapping: have = "a section"
            case .sequence: have = "a list"
            case .alias: have = "an alias"
            }
            return "want \(want), have \(have)"
        }

        package func text() -> String? {
            guard let text = node.scalar?.string, !isNothing else {
                report(wrong("a text"))
                return nil
            }
            return text
        }

        /// A text that says something.
        package func filledText() -> String? {
            guard let text = text() else { return nil }
            if text.isEmpty { report("an empty text, which nothing is like") }
            return text
        }

        /// A file's path, relative to the configuration's folder or absolute.
        package func path(_ files: ConfigurationFiles) -> String? {
            guard let text = text() else { return nil }
            guard !text.isEmpty, !text.utf8.contains(0) else {
                report("want a path, have \"\(text.prefix(60))\"")
                return nil
            }
            let path = files.resolve(text)
            reader.paths.append((self.path, path))
            return path
        }

        package func boolean() -> Bool? {
            switch node.scalar?.string {
            case "true": return true
            case "false": return false
            default:
                report(wrong("true or false"))
                return nil
            }
        }

        package func integer(in range: ClosedRange<Int>) -> Int? {
            guard let text = node.scalar?.string, let number = Int(text), range.contains(number) else {
                report(wrong("a number from \(range.lowerBound) to \(range.upperBound)"))
                return nil
            }
            return number
        }

        /// A duration such as `250ms`, `30s`, `5m`, `24h` or `7d`, in milliseconds.
        package func milliseconds(in range: ClosedRange<Int64>) -> Int64? {
            if let time = node.scalar.flatMap({ DurationText.milliseconds($0.string) }), range.contains(time) { return time }
            let (least, most) = (DurationText.exact(range.lowerBound), DurationText.exact(range.upperBound))
            report(wrong("a duration such as 250ms, 30s, 5m or 24h, from \(least) to \(most)"))
            return nil
        }

        /// A time of RFC 3339.
        package func time() -> Timestamp? {
            guard let text = text() else { return nil }
            let time = Timestamp(rfc3339: text)
            if time == nil { report("want a time such as 2027-01-01T00:00:00Z, have \"\(text.prefix(60))\"") }
            return time
        }

        /// What one of the words stands for.
        package func choice<T>(_ words: KeyValuePairs<String, T>) -> T? {
            let word = choice(among: words.map(\.key))
            return word.flatMap { word in words.first { $0.key == word }?.value }
        }

        /// One of the words.
        package func choice(among words: [String]) -> String? {
            if let text = node.scalar?.string, words.contains(text) { return text }
            let meant = node.scalar.flatMap { Spelling.nearest(to: $0.string, among: words) }
            report(wrong("one of " + words.joined(separator: ", ")) + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
            return nil
        }

        /// One of so many words that a problem does not list them, but those that may be meant.
        ///
        /// - Parameter what: what the words are, and where all of them stand.
        package func choice(among words: [String], of what: String) -> String? {
            if let text = node.scalar?.string, words.contains(where: { $0.hasBytes(of: text) }) { return text }
            let near = node.scalar.map { Spelling.near(to: $0.string, among: words) } ?? []
            report(wrong(what) + (near.isEmpty ? "" : "; near it: " + near.joined(separator: ", ")))
            return nil
        }

        package func list() -> [Value]? {
            guard let sequence = node.sequence else {
                report(wrong("a list"))
                return nil
            }
            return sequence.enumerated().map { Value(reader: reader, path: "\(path)[\($0)]", node: $1) }
        }

        package var isSection: Bool { node.mapping != nil }
        package var isList: Bool { node.sequence != nil }
        package var isEmptyList: Bool { node.sequence?.isEmpty ?? false }
        package func isWord(_ word: String) -> Bool { node.scalar?.string == word }

        /// The names that this section has, without a word about what may be wrong with it.
        package var names: [String] { node.mapping?.compactMap { $0.key.scalar?.string } ?? [] }

        package func section() -> Section { Section(reader: reader, value: self) }

        /// What stands under these keys, one inside the other, if it is there: for rules between sections that were read
        /// already, so nothing is reported.
        package func at(_ keys: String...) -> Value? {
            var found: Value? = self
            for key in keys {
                found = found.flatMap { value in
                    value.node.mapping?[Node(key)].map { Value(reader: reader, path: "\(value.path).\(key)", node: $0) }
                }
            }
            return found
        }

        /// The members of a section whose keys are names, in the order of the file.
        package func members() -> [(name: String, value: Value)]? { lines()?.map { ($0.name, $0.value) } }

        /// The same, with the line of each key.
        fileprivate func lines() -> [(name: String, line: Int?, value: Value)]? {
            guard let mapping = node.mapping else {
                report(wrong("a section"))
                return nil
            }
            return mapping.compactMap { key, node in
                guard let name = key.scalar?.string else {
                    reader.report("a key must be a text", at: path, line: key.mark?.line)
                    return nil
                }
                return (name, key.mark?.line, Value(reader: reader, path: path.isEmpty ? name : "\(path).\(name)", node: node))
            }
        }
    }

    /// A mapping with known keys. `done()` reports keys that were not asked for.
    package final class Section {
        package let value: Value
        private let members: [(name: String, line: Int?, value: Value)]
        private var known: [String] = []
        private var renamed: [String: String] = [:]

        package init(reader: ConfigurationReader, value: Value) {
            self.value = value
            members = value.lines() ?? []
        }

        /// The value under a key that may be left out.
        package func optional(_ key: String) -> Value? {
            if !known.contains(key) { known.append(key) }
            guard let found = members.first(where: { $0.name == key })?.value else { return nil }
            found.reader.remember(found)
            return found
        }

        /// The value under a key that must be there.
        package func required(_ key: String) -> Value? {
            let found = optional(key)
            if found == nil { value.report("\"\(key)\" is missing") }
            return found
        }

        /// Declares that the key `new` was called `old` in an earlier version: `done()` then names the new key to those who still use
        /// the old one.
        package func renamed(_ old: String, to new: String) { renamed[old] = new }

        /// Reports unknown keys, with the line of each and the known key that is nearest.
        package func done() {
            for (name, line, member) in members where !known.contains(name) {
                let meant =
                    renamed[name].map { "it is called \"\($0)\" now" }
                    ?? Spelling.nearest(to: name, among: known).map { "did you mean \"\($0)\"?" }
                member.reader.report(
                    "unknown key \"\(name)\"; " + (meant ?? "known are " + known.joined(separator: ", ")), at: value.path,
                    line: line)
            }
        }
    }
}
