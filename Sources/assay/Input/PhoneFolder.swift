import ArgumentParser
import AssayCore
import AssaySimulator
import Foundation

/// The folder in which a virtual phone lives: `authority`, `root.pem`, `key`, all of mode 0600 but the root.
struct PhoneFolder {
    let path: String

    var rootPath: String { path + "/root.pem" }

    /// Makes the folder, an authority unless there is one, and a new key.
    func make(_ phone: (TestAuthority) -> VirtualPhone) throws -> VirtualKey {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let authority: TestAuthority
        if FileManager.default.fileExists(atPath: path + "/authority") {
            authority = try readAuthority()
        } else {
            authority = TestAuthority()
            try write(authority.saved, "authority", mode: 0o600)
        }
        try write(authority.rootPEM, "root.pem", mode: 0o644)
        var phone = phone(authority)
        let key = phone.makeKey()
        try save(key)
        return key
    }

    func readKey() throws -> VirtualKey {
        do {
            return try VirtualKey(saved: try read("key"), authority: try readAuthority())
        } catch let error as SimulatorError {
            throw Console.unreadable("\(path): \(error)")
        }
    }

    /// Keeps the key and its counter.
    func save(_ key: VirtualKey) throws { try write(key.saved, "key", mode: 0o600) }

    private func readAuthority() throws -> TestAuthority {
        do {
            return try TestAuthority(saved: try read("authority"))
        } catch let error as SimulatorError {
            throw Console.unreadable("\(path): \(error)")
        }
    }

    private func read(_ name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
            throw Console.unreadable("there is no virtual phone in \(path): make one with 'assay simulate phone \(path)'")
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func write(_ text: String, _ name: String, mode: Int) throws {
        let file = path + "/" + name
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw ValidationError("\(file) cannot be written.") }
    }
}
