/// The keys that a configuration may have, each with the section that it stands in: so that a right key at a wrong place is answered with the right
/// one.
///
/// They are not written down. The readers of the sections are run over a document in which every section is there, and what they ask for is
/// collected.
package struct ConfigurationKeys: Sendable {
    /// Stands for a name that the file chooses, such as that of an app.
    package static let name = "<name>"
    /// More places than these are no help.
    private static let mostPlaces = 3

    /// The way to each key, an element for each section on the way; `[]` for an item of a list.
    private let ways: [[String]]
    /// The same by the keys themselves: a document with thousands of unknown keys asks for each.
    private let waysTo: [String: [[String]]]

    /// No keys: what is known of others helps no reader.
    package init() { (ways, waysTo) = ([], [:]) }

    /// Those that are asked for by `read`, which finds every section and every list there, and no value.
    package init(_ read: (ConfigurationReader) -> Void) {
        let collector = Collector()
        read(ConfigurationReader(collector))
        ways = collector.ways
        waysTo = Dictionary(grouping: ways) { $0.last ?? "" }
    }

    /// What readers have asked for, in the order in which they did.
    final class Collector {
        fileprivate var ways: [[String]] = []
        private var known: Set<[String]> = []

        func add(_ way: [String]) { if known.insert(way).inserted { ways.append(way) } }
    }

    /// As they are written: `apps.<name>.challenge.ttl`, `listen[].unix`.
    package var names: [String] { ways.map(Self.text) }

    /// The keys of one section, in the order in which they are read.
    package func keys(of section: [String]) -> [String] {
        ways.filter { $0.count == section.count + 1 && $0.starts(with: section) }.compactMap(\.last)
    }

    /// The sections that have a key. `near`: the sections directly below the one that does not have it, and the one around it; `far`: all others.
    func sections(with key: String, from shape: [String]) -> (near: [[String]], far: [[String]]) {
        // A shadow policy has the sections of its app a second time.
        let isOfShadow = shape.contains("shadow")
        let sections = waysTo[key, default: []].filter { $0.contains("shadow") == isOfShadow }.map { Array($0.dropLast()) }
        let near = sections.filter { section in
            let (long, short) = section.count > shape.count ? (section, shape) : (shape, section)
            // An item of a list, and a section with a name, stand for one level with what is around them.
            return long.starts(with: short) && long.dropFirst(short.count).count { !["[]", Self.name].contains($0) } <= 1
        }
        return (near, sections.filter { !near.contains($0) })
    }

    /// Sections as words for people; `nil`: there are none, or so many that they are no help.
    ///
    /// - Parameters:
    ///   - shape: the way to a section.
    ///   - path: the same way as the file has it: what is below it is shown so.
    static func words(_ sections: [[String]], below shape: [String], shownAs path: String) -> String? {
        guard (1...mostPlaces).contains(sections.count) else { return nil }
        return sections.map { section in
            guard section.starts(with: shape) else { return section.isEmpty ? "the file itself" : "\"\(text(section))\"" }
            let rest = text(Array(section.dropFirst(shape.count)))
            return "\"\(path.isEmpty || rest.hasPrefix("[") ? path + rest : path + "." + rest)\""
        }.joined(separator: ", or of ")
    }

    private static func text(_ way: [String]) -> String {
        way.reduce("") { text, part in text.isEmpty || part == "[]" ? text + part : text + "." + part }
    }
}

extension ConfigurationReader {
    /// The top section of the document that readers are run over to collect their keys.
    package var emptySection: Section {
        Section(reader: self, value: Value(reader: self, path: "", shape: [], node: .emptyMapping))
    }
}
