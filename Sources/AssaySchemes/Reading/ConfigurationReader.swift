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
    /// The ways to values that are of another kind than wanted. What else is said of such a value follows from that, and is left out.
    private var misread: Set<String> = []
    /// All keys that there are: for those that stand at a wrong place.
    package private(set) lazy var keys = allKeys()
    private let allKeys: () -> ConfigurationKeys
    /// `nil`: a document is read. Otherwise the reader only learns which keys its sections ask for.
    let collector: ConfigurationKeys.Collector?

    /// - Parameter keys: all keys that the file may have. They are asked for once, if a key is unknown.
    package init(file: String, keys: @escaping () -> ConfigurationKeys = { ConfigurationKeys() }) {
        (self.file, allKeys, collector) = (file, keys, nil)
    }

    /// A reader of no document, which learns the keys that are asked for.
    init(_ collector: ConfigurationKeys.Collector) {
        (file, allKeys, self.collector) = ("", { ConfigurationKeys() }, collector)
    }

    /// The document's top section.
    package func open(_ text: String) throws(ConfigurationError) -> Section {
        guard text.utf8.count <= Self.sizeLimit else {
            throw ConfigurationError(file: file, "larger than \(Self.sizeLimit) bytes")
        }
        if let line = YAMLText.lineOfAlias(in: text) {
            throw ConfigurationError(file: file, problems: [.init(line: line, path: "", message: YAMLText.aliasProblem)])
        }
        if let line = YAMLText.lineOfStrangeSpace(in: text) {
            let message =
                "another space than that of the space bar begins the line, such as a no-break space (U+00A0); delete it"
            throw ConfigurationError(file: file, problems: [.init(line: line, path: "", message: message)])
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            let (line, message) = YAMLText.explain(error)
            throw ConfigurationError(file: file, problems: [.init(line: line, path: "", message: message)])
        }
        guard let root else { throw ConfigurationError(file: file, "the file is empty") }
        return Section(reader: self, value: Value(reader: self, path: "", shape: [], node: root))
    }

    package func report(_ message: String, at path: String, line: Int?) {
        guard collector == nil, !misread.contains(path) else { return }
        problems.append(ConfigurationError.Problem(line: line, path: path, message: message))
    }

    fileprivate func remember(_ value: Value) { lines[value.path] = value.line }

    /// Reports that a value is of another kind than wanted.
    fileprivate func reportMisread(_ value: Value, _ message: String) {
        report(message, at: value.path, line: value.line)
        misread.insert(value.path)
    }

    package func warn(_ code: ConfigurationFinding.Code, _ message: String, at path: String, line: Int?) {
        guard collector == nil else { return }
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
        /// The way, with a mark in place of each name that the file chooses.
        let shape: [String]
        let node: Node

        package var line: Int? { node.mark?.line }

        package func report(_ message: String) { reader.report(message, at: path, line: line) }

        package func warn(_ code: ConfigurationFinding.Code, _ message: String) {
            reader.warn(code, message, at: path, line: line)
        }

        /// A key without a value, or `~`, or `null`.
        package var isNothing: Bool { node.null != nil }

        /// - Parameter remedy: what to write in place of it, where more can be said than what is wanted.
        private func wrong(_ want: String, remedy: String? = nil) -> String {
            let have: String
            switch node {
            case .scalar where isNothing: have = "nothing"
            // It may be a private key.
            case .scalar(let scalar) where scalar.string.hasPrefix("-----BEGIN "): have = "a text in PEM"
            case .scalar(let scalar): have = "\"\(scalar.string.prefix(60))\""
            case .mapping: have = "a section"
            case .sequence: have = "a list"
            case .alias: have = "an alias"
            }
            return "want \(want), have \(have)" + (remedy.map { ": \($0)" } ?? "")
        }

        /// - Parameter isVerbatim: whether `${NAME}` is a text like any other.
        package func text(isVerbatim: Bool = false) -> String? {
            guard let text = node.scalar?.string, !isNothing else {
                reader.reportMisread(self, wrong("a text"))
                return nil
            }
            if let mark = text.unicodeScalars.first,
                ["\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}"].contains(mark)
            {
                reader.reportMisread(
                    self, "have \(text.prefix(60)), whose quotation marks are typographic ones: write \" in their place")
                return nil
            }
            if !isVerbatim, let variable = text.firstMatch(of: /\$\{[A-Za-z_][A-Za-z0-9_]*\}/)?.0 {
                reader.reportMisread(self, "variables such as \(variable.prefix(60)) are not replaced: write the value out")
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
            if let problem = ConfigurationFiles.problem(with: text) {
                reader.reportMisread(self, problem)
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
                reader.reportMisread(self, wrong("true or false"))
                return nil
            }
        }

        /// - Parameter what: what the number is of, where that is often taken for something else.
        package func integer(in range: ClosedRange<Int>, as what: String = "a number") -> Int? {
            guard let text = node.scalar?.string, let number = Int(text), range.contains(number) else {
                reader.reportMisread(self, wrong("\(what) from \(range.lowerBound) to \(range.upperBound)"))
                return nil
            }
            return number
        }

        /// A number of bytes such as `65536`, `64KiB`, `512MiB` or `1GiB`.
        package func bytes(in range: ClosedRange<Int>) -> Int? {
            if let count = node.scalar.flatMap({ ByteCountText.bytes($0.string) }), range.contains(count) { return count }
            let (least, most) = (ByteCountText.exact(range.lowerBound), ByteCountText.exact(range.upperBound))
            let meant = node.scalar.flatMap { ByteCountText.meant(by: $0.string) }.map { "; did you mean \($0)?" } ?? ""
            reader.reportMisread(self, wrong("bytes such as 65536, 64KiB, 512MiB or 1GiB, from \(least) to \(most)") + meant)
            return nil
        }

        /// A duration such as `250ms`, `30s`, `5m`, `24h` or `7d`, in milliseconds.
        package func milliseconds(in range: ClosedRange<Int64>) -> Int64? {
            if let time = node.scalar.flatMap({ DurationText.milliseconds($0.string) }), range.contains(time) { return time }
            let (least, most) = (DurationText.exact(range.lowerBound), DurationText.exact(range.upperBound))
            let text = node.scalar.map(\.string) ?? ""
            let hint =
                Int64(text).map { _ in "; the unit is missing" } ?? DurationText.meant(by: text).map { "; did you mean \($0)?" }
                ?? ""
            reader.reportMisread(self, wrong("a duration such as 250ms, 30s, 5m or 24h, from \(least) to \(most)") + hint)
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
            let meant = node.scalar.flatMap { Spelling.meant(by: $0.string, among: words) }
            reader.reportMisread(
                self, wrong("one of " + words.joined(separator: ", ")) + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
            return nil
        }

        /// One of so many words that a problem does not list them, but those that may be meant.
        ///
        /// - Parameter what: what the words are, and where all of them stand.
        package func choice(among words: [String], of what: String) -> String? {
            if let text = node.scalar?.string, words.contains(where: { $0.hasBytes(of: text) }) { return text }
            let near = node.scalar.map { Spelling.near(to: $0.string, among: words) } ?? []
            reader.reportMisread(self, wrong(what) + (near.isEmpty ? "" : "; near it: " + near.joined(separator: ", ")))
            return nil
        }

        /// - Parameter wanted: what is wanted, where it is not a list alone.
        package func list(wanted: String = "a list") -> [Value]? {
            guard reader.collector == nil else { return [Value(reader: reader, path: "", shape: shape + ["[]"], node: node)] }
            guard let sequence = node.sequence else {
                reader.reportMisread(self, wrong(wanted, remedy: remedyOfNoList))
                return nil
            }
            return sequence.enumerated().map {
                Value(reader: reader, path: "\(path)[\($0)]", shape: shape + ["[]"], node: $1)
            }
        }

        /// How one value becomes a list of it.
        private var remedyOfNoList: String? {
            switch node {
            case .mapping: "begin each item with \"- \""
            case .scalar(let scalar) where !isNothing && scalar.string.utf8.count <= 60 && !scalar.string.contains("\n"):
                "a list of one is [\(scalar.style == .plain || scalar.style == .any ? scalar.string : "\"\(scalar.string)\"")]"
            default: nil
            }
        }

        private func remedyOfNoSection(isOfNames: Bool) -> String? {
            // A URL has one there as well.
            if let text = node.scalar?.string, let key = text.firstMatch(of: /^([a-z_]+):(?!\/\/)\S/)?.1 {
                return "a space is missing behind \"\(key):\""
            }
            guard !isOfNames else { return isList ? "each has a name, and stands below it" : nil }
            let known = reader.keys.keys(of: shape)
            return known.isEmpty
                ? nil : "its keys\(isNothing ? ", which are indented below it," : "") are " + known.joined(separator: ", ")
        }

        package var isSection: Bool { node.mapping != nil }
        package var isList: Bool { node.sequence != nil }
        package var isEmptyList: Bool { node.sequence?.isEmpty ?? false }
        package func isWord(_ word: String) -> Bool { node.scalar?.string == word }

        /// The names that this section has, without a word about what may be wrong with it; `nil`: it is no section.
        package var names: [String]? { node.mapping?.compactMap { $0.key.scalar?.string } }

        package func section() -> Section { Section(reader: reader, value: self) }

        /// What stands under these keys, one inside the other, if it is there: for rules between sections that were read
        /// already, so nothing is reported.
        package func at(_ keys: String...) -> Value? {
            var found: Value? = self
            for key in keys { found = found.flatMap { value in value.node.mapping?[Node(key)].map { value.member(key, $0) } } }
            return found
        }

        /// - Parameter mark: stands for the name in the shape, where it is not a key.
        fileprivate func member(_ name: String, _ node: Node, mark: String? = nil) -> Value {
            Value(reader: reader, path: path.isEmpty ? name : "\(path).\(name)", shape: shape + [mark ?? name], node: node)
        }

        /// The members of a section whose keys are names, in the order of the file.
        package func members() -> [(name: String, value: Value)]? {
            guard reader.collector == nil else { return [("name", member("name", node, mark: ConfigurationKeys.name))] }
            return lines(mark: ConfigurationKeys.name)?.map { ($0.name, $0.value) }
        }

        /// The same, with the line of each key.
        fileprivate func lines(mark: String? = nil) -> [(name: String, line: Int?, value: Value)]? {
            guard let mapping = node.mapping else {
                reader.reportMisread(self, wrong("a section", remedy: remedyOfNoSection(isOfNames: mark != nil)))
                return nil
            }
            return mapping.compactMap { key, node in
                guard let name = key.scalar?.string else {
                    reader.report("a key must be a text", at: path, line: key.mark?.line)
                    return nil
                }
                return (name, key.mark?.line, member(name, node, mark: mark))
            }
        }
    }

    /// A mapping with known keys. `done()` reports keys that were not asked for, and those that are missing.
    package final class Section {
        package let value: Value
        private let members: [(name: String, line: Int?, value: Value)]
        private var known: [String] = []
        private var renamed: [String: String] = [:]
        private var explained: [String: (remedy: String, keys: [String])] = [:]
        private var absences: [(keys: [String], message: String)] = []
        private var isDone = false

        package init(reader: ConfigurationReader, value: Value) {
            self.value = value
            members = value.lines() ?? []
        }

        /// The value under a key that may be left out.
        package func optional(_ key: String) -> Value? {
            if !known.contains(key) { known.append(key) }
            if let collector = value.reader.collector {
                let found = value.member(key, value.node)
                collector.add(found.shape)
                return found
            }
            guard let found = members.first(where: { $0.name == key })?.value else { return nil }
            found.reader.remember(found)
            return found
        }

        /// The value under a key that must be there.
        package func required(_ key: String) -> Value? {
            let found = optional(key)
            if found == nil { absent([key], "\"\(key)\" is missing") }
            return found
        }

        /// Says that none of the keys is there, one of which must be: `done()` reports it, unless one of them is misspelt, which is
        /// the only problem then.
        package func absent(_ keys: [String], _ message: String) {
            guard isDone else { return absences.append((keys, message)) }
            report((keys, message))
        }

        private func report(_ absence: (keys: [String], message: String)) {
            let isMisspelt = members.contains { member in
                guard !known.contains(member.name) else { return false }
                return meant(by: member.name).contains(where: absence.keys.contains)
            }
            if !isMisspelt { value.report(absence.message) }
        }

        /// Declares that the key `new` was called `old` in an earlier version: `done()` then names the new key to those who still use
        /// the old one.
        package func renamed(_ old: String, to new: String) { renamed[old] = new }

        /// Says what to write in place of a key that is no misspelt one, but is often tried.
        ///
        /// - Parameter keys: those that it stands for: that they are missing is not reported too.
        package func explain(_ key: String, _ remedy: String, replacing keys: [String] = []) {
            explained[key] = (remedy, keys)
        }

        /// Reports unknown keys, with the line of each and the known key that is nearest, and keys that are missing.
        package func done() {
            isDone = true
            for absence in absences { report(absence) }
            let unknown = members.filter { !known.contains($0.name) }
            for (index, (name, line, _)) in unknown.enumerated() {
                guard let place = place(of: name) else {
                    value.reader.report("unknown key \"\(name)\"; " + remedy(for: name), at: value.path, line: line)
                    continue
                }
                // Keys of one section that stand here together are one mistake.
                guard !unknown[..<index].contains(where: { self.place(of: $0.name) == place }) else { continue }
                let names = unknown[index...].filter { self.place(of: $0.name) == place }.map { "\"\($0.name)\"" }
                value.reader.report(
                    names.count == 1
                        ? "unknown key \(names.joined()); it is a key of \(place)"
                        : "unknown keys \(names.joined(separator: ", ")); they are keys of \(place)", at: value.path, line: line
                )
            }
        }

        /// The keys that an unknown one stands for, or in the sections of which it should stand.
        private func meant(by name: String) -> [String] {
            if let explained = explained[name] { return explained.keys }
            let below = value.reader.keys.sections(with: name, from: value.shape).near.filter { $0.starts(with: value.shape) }
            let keys = below.compactMap { $0.dropFirst(value.shape.count).first }
            return keys.isEmpty ? nearest(to: name).map { [$0] } ?? [] : keys
        }

        /// The key that an unknown one is near; `nil` where there is none.
        private func nearest(to name: String) -> String? { renamed[name] ?? Spelling.meant(by: name, among: known) }

        private func remedy(for name: String) -> String {
            if let new = renamed[name] { return "it is called \"\(new)\" now" }
            if let explained = explained[name] { return explained.remedy }
            if let near = nearest(to: name) { return "did you mean \"\(near)\"?" }
            let far = words(for: value.reader.keys.sections(with: name, from: value.shape).far)
            return "known are " + known.joined(separator: ", ") + (far.map { "; it is a key of \($0)" } ?? "")
        }

        /// The section beside this one that has an unknown key, in words; `nil` where there is none.
        private func place(of name: String) -> String? {
            guard renamed[name] == nil, explained[name] == nil else { return nil }
            let near = value.reader.keys.sections(with: name, from: value.shape).near
            if let place = words(for: near.filter { $0.starts(with: value.shape) }) { return place }
            return nearest(to: name) == nil ? words(for: near) : nil
        }

        private func words(for sections: [[String]]) -> String? {
            ConfigurationKeys.words(sections, below: value.shape, shownAs: value.path)
        }
    }
}
