import Foundation

/// A folder in which tests run the system's `openssl`, as an independent implementation. It is removed with this object.
package final class OpenSSLFolder: Sendable {
    /// What `openssl` said when it did not succeed.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    package static let isAvailable = path != nil

    package let folder: String

    package init() throws {
        folder = NSTemporaryDirectory() + "assay-openssl-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    package func file(_ name: String) -> String { folder + "/" + name }

    /// Writes bytes to a file and returns its path.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8], mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
        return file(name)
    }

    @discardableResult
    package func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        try write(name, Array(text.utf8), mode: mode)
    }

    package func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    /// Whether the command succeeded, and its output on both streams. Relative paths are those of the folder.
    package func attempt(_ arguments: [String]) throws -> (succeeded: Bool, text: String) {
        guard let path = Self.path else { throw Failure(description: "there is no openssl here") }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.currentDirectoryURL = URL(filePath: folder)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus == 0, String(decoding: data, as: UTF8.self))
    }

    /// The output of a command that must succeed; arguments are separated by spaces.
    @discardableResult
    package func run(_ command: String, _ more: String...) throws -> String {
        let result = try attempt(command.split(separator: " ").map(String.init) + more)
        guard result.succeeded else { throw Failure(description: "openssl \(command): \(result.text)") }
        return result.text
    }
}
