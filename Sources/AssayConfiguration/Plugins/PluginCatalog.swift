import AssayCore
package import AssayPlugins
import AssaySchemes
import Foundation

/// The catalog of plugins: the folder that `plugins.catalog` names, one file for each entry.
package struct PluginCatalog: Sendable {
    /// In the order of their ids.
    package var entries: [PluginEntry] = []
    /// The lines of the keys that are set, by file and by the way to the key.
    package var lines: [String: [String: Int]] = [:]
    /// The text of each file, in the order of their names.
    package var texts: [(file: String, text: String)] = []
}

extension PluginCatalog {
    /// Files in a catalog.
    private static let fileLimit = 256

    /// Reads all files of the folder whose names end with `.yaml`. The problems of all of them are reported.
    ///
    /// - Parameters:
    ///   - value: where the configuration names the folder.
    ///   - apps: the apps of the configuration; `nil`: they are not known.
    ///   - secrets: files and folders of the daemon's that no plugin may read, with a word for each.
    init(
        reading value: ConfigurationReader.Value, _ files: ConfigurationFiles, apps: Set<String>?,
        secrets: [(path: String, what: String)]
    ) {
        guard let folder = value.path(files) else { return }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { !$0.hasPrefix(".") }
        } catch {
            let why = UnixFile(at: folder) == nil ? "does not exist" : "cannot be read as a folder"
            value.report("the folder \(folder) \(why)")
            return
        }
        for name in names where name.hasSuffix(".yml") {
            value.warn(.pluginCatalog, "\(folder)/\(name) is not read: want a name that ends with .yaml")
        }
        let entryFiles = names.filter { $0.hasSuffix(".yaml") }
        guard entryFiles.count <= Self.fileLimit else {
            value.report("the folder \(folder) has \(entryFiles.count) files, the limit is \(Self.fileLimit)")
            return
        }
        for path in [folder] + entryFiles.map({ folder + "/" + $0 }) { Self.requireClosed(path, value) }
        var read: [PluginEntry.Draft] = []
        for name in entryFiles {
            do throws(ConfigurationError) {
                read.append(try PluginEntry.Draft(reading: folder + "/" + name, apps: apps))
            } catch { value.reader.add(error) }
        }
        for draft in read { draft.checkPowers(secrets) }
        Self.check(read)
        for draft in read { value.reader.add(draft.reader) }
        entries = read.compactMap(\.entry).sorted { $0.id < $1.id }
        lines = Dictionary(read.map { ($0.reader.file, $0.reader.lines) }, uniquingKeysWith: { first, _ in first })
        texts = read.map { ($0.reader.file, $0.text) }
    }

    /// An entry says what the daemon runs: only its owner may write it.
    private static func requireClosed(_ path: String, _ value: ConfigurationReader.Value) {
        guard let file = UnixFile(at: path), file.permissions.mode & 0o022 != 0 else { return }
        value.report("\(path) can be written by others, who could run programs as a plugin: chmod go-w \(path)")
    }

    /// The rules between entries.
    private static func check(_ drafts: [PluginEntry.Draft]) {
        let known = drafts.compactMap { draft in draft.entry.map { (draft: draft, entry: $0) } }
        for (index, (draft, entry)) in known.enumerated() {
            let before = known[..<index]
            if let other = before.first(where: { $0.entry.id == entry.id })?.entry {
                draft.report(
                    "the entry in \(other.file) has the id \"\(entry.id)\" too; two versions of a plugin need two ids",
                    at: "id", "name")
                continue
            }
            for app in entry.apps {
                for format in entry.formats where entry.isPrimary(for: format) {
                    guard
                        let other = before.first(where: { $0.entry.apps.contains(app) && $0.entry.isPrimary(for: format) })?
                            .entry
                    else { continue }
                    draft.report(
                        "the app \(app) has two primary plugins for \(format), this one and \"\(other.id)\" (\(other.file)); want \"role: shadow\" or \"role: all\" for one of them",
                        at: "role", "formats")
                }
            }
        }
        // The primary plugin may stand in an entry with a problem of its own, which is reported there.
        guard drafts.allSatisfy({ $0.reader.problems.isEmpty }) else { return }
        for (draft, entry) in known where entry.role != .primary {
            for app in entry.apps {
                for format in entry.formats where !EvidenceFormat.described.contains(format) {
                    guard !known.contains(where: { $0.entry.apps.contains(app) && $0.entry.isPrimary(for: format) }) else {
                        continue
                    }
                    draft.report(
                        "the app \(app) has no primary plugin for \(format), beside which a plugin could have \"role: \(entry.role.rawValue)\"",
                        at: "role", "formats")
                }
            }
        }
    }
}
