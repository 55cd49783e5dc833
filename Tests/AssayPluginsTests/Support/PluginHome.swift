import Foundation
import Glibc

@testable import AssayPlugins

/// A folder with the files of a plugin, which is deleted with the object.
final class PluginHome: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory().trimmingSuffix("/") + "/plugins-" + String(UInt32.random(in: 0...(.max)), radix: 36)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try setMode("", 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { name.isEmpty ? path : path + "/" + name }

    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws -> String {
        let folder = URL(fileURLWithPath: file(name)).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        try setMode(name, mode)
        return file(name)
    }

    func setMode(_ name: String, _ mode: mode_t) throws {
        try FileManager.default.setAttributes([.posixPermissions: Int(mode)], ofItemAtPath: file(name))
    }

    /// A dynamic executable of this machine.
    @discardableResult
    func writeExecutable(to name: String = "plugin") throws -> String {
        let source = URL(fileURLWithPath: "/usr/bin/true").resolvingSymlinksInPath()
        return try write(Array(Data(contentsOf: source)), to: name, mode: 0o755)
    }

    /// An entry that runs `plugin`, with a right manifest.
    func entry(folder: String? = nil, _ change: (inout PluginEntry) -> Void = { _ in }) throws -> PluginEntry {
        if !FileManager.default.fileExists(atPath: file("plugin")) { try writeExecutable() }
        var entry = PluginEntry(
            id: "kiosk", name: "kiosk", file: file("kiosk.yaml"), command: file("plugin"), folder: folder.map(file),
            manifest: PluginManifest([:]), formats: [], apps: [])
        entry.sandbox.executable = ["/lib", "/lib64", "/usr/lib"].filter { FileManager.default.fileExists(atPath: $0) }
        change(&entry)
        entry.manifest = try PluginManifest.current(of: entry, owner: geteuid())
        return entry
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
