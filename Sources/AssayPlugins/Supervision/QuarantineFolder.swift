import AssayCore
import AssayFiles
import Foundation
import Logging

/// The files of the quarantine: one for each piece of evidence, `DIGEST.evidence`, mode 0600: a line of JSON, then the body.
struct QuarantineFolder: Sendable {
    private static let suffix = ".evidence"
    /// The longest line of JSON, in bytes.
    private static let headLimit = 4096

    private struct Head: Codable {
        let plugin: String
        let app: String
        let format: String
        let sinceUnixMs: Int64
        let end: String
        let size: Int
        let hasBody: Bool
    }

    let path: String
    init(_ path: String) { self.path = path }

    private func file(_ digest: [UInt8]) -> String { path + "/" + Hex.encode(digest) + Self.suffix }

    /// Writes a file whole, or not at all.
    func write(_ evidence: Quarantine.Evidence, _ body: [UInt8]) throws(QuarantineFolderError) {
        let head = Head(
            plugin: evidence.plugin, app: evidence.app.text, format: evidence.format.rawValue,
            sinceUnixMs: evidence.since.unixMilliseconds, end: evidence.end, size: evidence.size, hasBody: evidence.hasBody)
        guard let line = try? JSONEncoder().encode(head) else { throw QuarantineFolderError("the line of JSON cannot be made") }
        try StateFolder.make(path)
        do throws(NewFileError) {
            try NewFile.create(file(evidence.digest), Array(line) + [UInt8(ascii: "\n")] + body, mode: 0o600)
        } catch .exists {
            // Of evidence that was forgotten while the file stayed. The body is the same.
            return
        } catch { throw QuarantineFolderError("\(file(evidence.digest)) \(error.description)") }
    }

    func remove(_ digest: [UInt8]) { unlink(file(digest)) }

    func body(of digest: [UInt8]) -> [UInt8]? { parts(file(digest))?.body }

    /// All evidence of the folder. Files that are of another kind are named in the log and left alone.
    func read(_ logger: Logger) -> [Quarantine.Evidence] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [] }
        return names.filter { $0.hasSuffix(Self.suffix) }.compactMap { name in
            guard let digest = Hex.decode(name.dropLast(Self.suffix.count)), digest.count == 32,
                let head = parts(path + "/" + name)?.head, let app = AppID(head.app)
            else {
                logger.warning("\(path)/\(name) is no file of the quarantine; remove it")
                return nil
            }
            return Quarantine.Evidence(
                digest: digest, plugin: head.plugin, app: app, format: EvidenceFormat(rawValue: head.format),
                since: Timestamp(unixMilliseconds: head.sinceUnixMs), end: head.end, size: head.size, hasBody: head.hasBody)
        }
    }

    private func parts(_ file: String) -> (head: Head, body: [UInt8])? {
        let limit = PluginFormat.largestBody + Self.headLimit
        guard let bytes = try? ProtectedFile.read(file, atMost: limit), let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONDecoder().decode(Head.self, from: Data(bytes[..<end]))
        else { return nil }
        let body = Array(bytes[(end + 1)...])
        guard body.count == (head.hasBody ? head.size : 0) else { return nil }
        return (head, body)
    }
}

struct QuarantineFolderError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Folders below the folder of state, for the daemon's user alone.
enum StateFolder {
    static func make(_ path: String) throws(QuarantineFolderError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw QuarantineFolderError("the folder \(path) cannot be made: \(error.localizedDescription)") }
    }
}
