import AssayCore
import AssayFiles
import AssayPlugins
package import AssaySchemes
import Foundation

/// The manifest of a catalog's entry, compared with the files that it runs, and replaced in its file.
package struct PluginPin {
    /// A file whose digest differs.
    package struct Change: Hashable, Sendable {
        /// As in the manifest: absolute, or relative to the entry's folder.
        package let path: String
        /// As pinned; `nil`: it was not.
        package let old: [UInt8]?
        /// As found; `nil`: it is not there any more.
        package let new: [UInt8]?
    }

    package let file: String
    package let changes: [Change]
    /// The file with the new manifest.
    package let text: String
    /// Files that are pinned now.
    package let count: Int

    /// Reads the entry and hashes its files. Nothing is written.
    ///
    /// - Throws: `ConfigurationError` for an entry with errors, `PluginFileError` for a file that cannot be used.
    package init(_ file: String) throws {
        let target = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        let draft = try PluginEntry.Draft(reading: target, apps: nil, isPinned: false)
        try draft.reader.finish()
        guard let entry = draft.entry else { throw ConfigurationError(file: file, "the entry cannot be read") }
        let current = try PluginManifest.current(of: entry, owner: nil)
        self.file = target
        count = current.files.count
        changes = Set(entry.manifest.files.keys).union(current.files.keys).sorted().compactMap { path in
            let (old, new) = (entry.manifest.files[path], current.files[path])
            return old == new ? nil : Change(path: Self.shown(path, entry), old: old, new: new)
        }
        let members = current.files.map { (path: Self.shown($0.key, entry), digest: $0.value) }.sorted { $0.path < $1.path }
        text = changes.isEmpty ? draft.text : Self.replacing(in: draft.text, by: members)
        guard !changes.isEmpty else { return }
        try Self.check(text, entry, current, file: target)
    }

    /// Replaces the file by one with the new manifest: whole, or not at all.
    package func write() throws(ConfigurationError) {
        guard !changes.isEmpty else { return }
        func failed(_ what: String) -> ConfigurationError {
            ConfigurationError(file: file, "\(what): \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard stat(file, &status) == 0 else { throw failed("cannot be looked at") }
        let draft = file + "." + Hex.encode(SecureRandom.bytes(4))
        do throws(NewFileError) {
            try NewFile.create(draft, text.utf8, mode: UInt32(status.st_mode & 0o777))
        } catch { throw ConfigurationError(file: draft, error.description) }
        // The same owner and mode as before, whatever the umask is. Only root could give it to another user.
        if chown(draft, status.st_uid, status.st_gid) != 0, status.st_uid != geteuid() {
            unlink(draft)
            throw failed("belongs to another user and cannot be replaced")
        }
        guard chmod(draft, status.st_mode & 0o777) == 0, rename(draft, file) == 0 else {
            let error = failed("cannot be replaced")
            unlink(draft)
            throw error
        }
    }

    private static func shown(_ path: String, _ entry: PluginEntry) -> String {
        guard let folder = entry.folder, path.hasPrefix(folder + "/") else { return path }
        return String(path.dropFirst(folder.count + 1))
    }

    // MARK: The text

    /// The text with another `manifest:`; everything else is as it was, comments too. A text without one gets it at its end.
    static func replacing(in text: String, by members: [(path: String, digest: [UInt8])]) -> String {
        let end = text.contains("\r\n") ? "\r\n" : "\n"
        let block = ["manifest:"] + members.map { "  \(key($0.path)): \(Hex.encode($0.digest))" }
        // As bytes: a line end of CR and LF is one character to Swift.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self)
        }
        if let start = lines.firstIndex(where: isManifest) {
            // The block ends with its last indented line; comments and empty lines after it belong to what follows.
            var last = start
            for index in lines.indices.dropFirst(start + 1) {
                let line = lines[index]
                if line.hasPrefix(" ") || line.hasPrefix("\t") {
                    if !line.allSatisfy(\.isWhitespace) { last = index }
                } else if line.hasPrefix("}") {
                    last = index
                } else if !line.isEmpty, !line.hasPrefix("#") {
                    break
                }
            }
            lines.replaceSubrange(start...last, with: block)
        } else {
            while lines.last?.isEmpty == true { lines.removeLast() }
            lines += block + [""]
        }
        return lines.joined(separator: end)
    }

    private static func isManifest(_ line: String) -> Bool {
        ["manifest:", "\"manifest\":", "'manifest':"].contains {
            line == $0 || line.hasPrefix($0 + " ") || line.hasPrefix($0 + "\t")
        }
    }

    /// A path as a key of YAML: in quotation marks if it could be read as something else.
    private static func key(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._+".utf8.contains(byte) || byte == UInt8(ascii: "-")
            }
        }
        let first = path.utf8.first.map {
            $0 == UInt8(ascii: "/") || $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z")
        }
        if isPlain, first == true, path.contains("/") || path.contains(".") { return path }
        return String(decoding: JSONValue.string(Array(path.utf8)).text, as: UTF8.self)
    }

    /// Reads the new text: it must say what the old one said, but for the manifest.
    private static func check(
        _ text: String, _ entry: PluginEntry, _ manifest: PluginManifest, file: String
    ) throws(ConfigurationError) {
        let draft = try PluginEntry.Draft(text: text, file: file, apps: nil, isPinned: true)
        var expected = entry
        expected.manifest = manifest
        guard draft.reader.problems.isEmpty, draft.entry == expected else {
            throw ConfigurationError(
                file: file, "the section \"manifest\" cannot be replaced in this form; write \"manifest:\" on a line of its own"
            )
        }
    }
}
