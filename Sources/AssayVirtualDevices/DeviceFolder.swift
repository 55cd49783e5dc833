import AssayCommandLine
import AssayCore
import Foundation

/// The folder of a virtual device: its test authority, its root and its key, as text files of mode 0600, except for the root's.
struct DeviceFolder {
    let path: String
    /// The command that creates such a device, for messages.
    let maker: String

    var rootPath: String { path + "/root.pem" }

    func make() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure.unreadable("the folder \(path) cannot be made")
        }
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    func read(_ name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
            throw CommandFailure.unreadable(
                "there is no virtual device of this kind in \(path): make one with '\(maker) \(path)'")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
        let file = path + "/" + name
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw CommandFailure.unreadable("\(file) cannot be written") }
    }

    /// For scripts, in the form of `assay verify --key-id`.
    func write(keyID: [UInt8]) throws { try write(Base64.standard.encode(keyID) + "\n", "key-id") }

    func writeRoot(_ pem: String) throws { try write(pem, "root.pem", mode: 0o644) }
}
