import AssayAPI
import AssayCore
import AssayFiles
import Crypto

/// The `configuration` of a catalog's entry: a JSON object, and the files with secrets that texts at its top name.
package struct PluginConfiguration: Hashable, Sendable {
    /// The longest message to the plugin, in bytes.
    package static let sizeLimit = 256 << 10

    private let json: [UInt8]
    /// Paths in it are relative to this folder.
    private let folder: String
    /// SHA-256 of each file that a text at the top names, by key, as it was when the entry was read. Which of them are secrets the
    /// plugin says once it runs; for the others the digest is of no harm.
    private let files: [String: [UInt8]]
    /// Whether secrets stand in it as the files' content.
    private let holdsSecrets: Bool

    /// - Parameters:
    ///   - json: a JSON object.
    ///   - folder: that of the catalog's file.
    package init(json: [UInt8] = Array("{}".utf8), folder: String = "/") {
        (self.json, self.folder, holdsSecrets) = (json, folder, false)
        var files: [String: [UInt8]] = [:]
        for (key, path) in Self.paths(in: json, folder) {
            if let content = try? PluginSecret.read(path) { files[key] = SHA256.bytes(of: content) }
        }
        self.files = files
    }

    /// The texts at the top, by key, as paths: those of secret files are among them.
    package var paths: [(key: String, path: String)] { holdsSecrets ? [] : Self.paths(in: json, folder) }

    private static func paths(in json: [UInt8], _ folder: String) -> [(key: String, path: String)] {
        ((try? object(json))?.members ?? []).compactMap { member in
            guard case .string(let text) = member.value else { return nil }
            return (String(decoding: member.name, as: UTF8.self), path(text, in: folder))
        }
    }

    /// Whether it has no key.
    var isEmpty: Bool { (try? Self.object(json))?.members.isEmpty ?? false }

    /// - Parameter message: as the plugin is sent it: a JSON object in which secret files stand as their content.
    package init(message: [UInt8]) { (json, folder, files, holdsSecrets) = (message, "/", [:], true) }

    /// SHA-256 over the content of the files that it names: differs as soon as one of them was exchanged.
    package var secretsDigest: [UInt8] {
        var hash = FieldDigest("assay.plugin.secrets.v1")
        for (key, digest) in files.sorted(by: { $0.key < $1.key }) {
            hash.append(key)
            hash.append(digest)
        }
        return hash.finalize()
    }

    /// SHA-256 over everything that the plugin is told by it.
    package var digest: [UInt8] {
        var hash = FieldDigest("assay.plugin.configuration.v1")
        hash.append(json)
        hash.append(secretsDigest)
        return hash.finalize()
    }

    /// What the plugin is sent: a JSON object in which secret files stand as their content. Throws for keys that the plugin did not
    /// declare, declared otherwise, or requires, and for secret files that cannot be used: all of them in one sentence.
    package func message(for description: PluginDescription) throws(PluginFault) -> [UInt8] {
        let object = try Self.object(json)
        let keys = Dictionary(description.configurationKeys.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var problems: [String] = []
        var members: [JSONObject.Member] = []
        for member in object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            do throws(PluginFault) {
                guard let key = keys[name] else { throw unknown(name, keys.keys.sorted()) }
                members.append(JSONObject.Member(name: member.name, value: try value(of: key, member.value)))
            } catch { problems.append(error.description) }
        }
        for key in description.configurationKeys where key.isRequired && object[key.name.utf8] == nil {
            problems.append("the key '\(key.name)' is missing" + (key.meaning.isEmpty ? "" : ": \(key.meaning)"))
        }
        guard problems.isEmpty else { throw PluginFault("configuration: " + problems.joined(separator: "; ")) }
        let message = JSONValue.object(JSONObject(members)).text
        guard message.count <= Self.sizeLimit else {
            throw PluginFault("configuration: \(message.count) bytes with its secret files, the limit is \(Self.sizeLimit)")
        }
        return message
    }

    private func unknown(_ name: String, _ known: [String]) -> PluginFault {
        let known = known.map { "'\($0)'" }.joined(separator: ", ")
        return PluginFault(
            "the plugin has no key '\(name)'" + (known.isEmpty ? ", and needs no configuration" : "; it has \(known)"))
    }

    private func value(of key: PluginConfigurationKey, _ value: JSONValue) throws(PluginFault) -> JSONValue {
        guard key.kind == .secretFile, !holdsSecrets, case .string(let text) = value else {
            if key.kind == .secretFile, case .string = value { return value }
            guard let want = key.kind.mismatch(value) else { return value }
            throw PluginFault("the key '\(key.name)' wants \(want), and has \(value.kind)")
        }
        let path = Self.path(text, in: folder)
        let content: [UInt8]
        do throws(PluginFileError) {
            content = try PluginSecret.read(path)
        } catch { throw PluginFault("the key '\(key.name)': the file \(error)") }
        guard files[key.name] == SHA256.bytes(of: content) else {
            throw PluginFault(
                "the key '\(key.name)': the file \(path) has changed since the configuration was loaded: load it again")
        }
        return .string(content)
    }

    private static func object(_ json: [UInt8]) throws(PluginFault) -> JSONObject {
        guard let value = try? JSONReader.parse(json[...], code: .malformed), case .object(let object) = value else {
            throw PluginFault("configuration: want a JSON object")
        }
        return object
    }

    private static func path(_ text: [UInt8], in folder: String) -> String {
        let path = String(decoding: text, as: UTF8.self)
        return path.hasPrefix("/") ? path : folder + "/" + path
    }
}

extension PluginConfiguration: CustomReflectable {
    /// Secrets may stand in it: no dump of an entry shows more than its digest.
    package var customMirror: Mirror { Mirror(self, children: ["digest": Hex.encode(digest)]) }
}

extension PluginConfiguration: CustomStringConvertible {
    package var description: String { "PluginConfiguration(\(Hex.encode(digest)))" }
}

/// A file with a secret of a plugin.
enum PluginSecret {
    /// In bytes.
    static let sizeLimit = 64 << 10

    /// The content as text, without a line end at its end. The file belongs to the daemon's user or root, and no other user can read it.
    static func read(_ path: String) throws(PluginFileError) -> [UInt8] {
        guard !path.utf8.contains(0) else { throw PluginFileError(path, "is no path") }
        var content: [UInt8]
        do throws(ProtectedFileError) {
            content = try ProtectedFile.read(path, atMost: sizeLimit + 1)
        } catch { throw PluginFileError(path, error.description) }
        guard content.count <= sizeLimit else { throw PluginFileError(path, "is larger than \(sizeLimit >> 10) KiB") }
        if content.last == UInt8(ascii: "\n") { content.removeLast() }
        if content.last == UInt8(ascii: "\r") { content.removeLast() }
        guard !content.isEmpty else { throw PluginFileError(path, "is empty") }
        guard String(validating: content, as: UTF8.self) != nil, !content.contains(0) else {
            throw PluginFileError(path, "is not text in UTF-8: write binary secrets in hexadecimal or Base64")
        }
        return content
    }
}

extension Assay_Plugin_V1_ValueKind {
    /// What the key wants instead of this value; `nil` if it is of its kind.
    fileprivate func mismatch(_ value: JSONValue) -> String? {
        switch (self, value) {
        case (.unspecified, _), (.UNRECOGNIZED, _), (.text, .string), (.boolean, .boolean), (.list, .array), (.object, .object),
            (.number, .number):
            nil
        case (.integer, .number(let digits)): Int64(String(decoding: digits, as: UTF8.self)) == nil ? "an integer" : nil
        case (.text, _): "a text"
        case (.boolean, _): "true or false"
        case (.list, _): "a list"
        case (.object, _): "a section"
        case (.number, _): "a number"
        case (.integer, _): "an integer"
        case (.secretFile, _): "the path of a file"
        }
    }
}

extension JSONValue {
    fileprivate var kind: String {
        switch self {
        case .string: "a text"
        case .boolean: "true or false"
        case .array: "a list"
        case .object: "a section"
        case .number: "a number"
        case .null: "nothing"
        }
    }
}
