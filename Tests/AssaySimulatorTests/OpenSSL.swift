import Foundation
import Testing

/// The system's `openssl`, as an independent implementation.
struct OpenSSL {
    static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let isAvailable = path != nil

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-simulator-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Writes bytes to a file and returns its path.
    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        return url.path()
    }

    /// The output of the command, on both streams, and whether it succeeded.
    func run(_ arguments: String...) throws -> (text: String, succeeded: Bool) {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.path))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus == 0)
    }

    /// A certificate as text.
    func describe(_ certificate: [UInt8]) throws -> String {
        let result = try run("x509", "-inform", "DER", "-noout", "-text", "-in", try file("certificate.der", certificate))
        #expect(result.succeeded, "\(result.text)")
        return result.text
    }

    /// Verifies a chain of two at an instant, under a root in PEM.
    func verify(leaf: [UInt8], intermediate: [UInt8], rootPEM: String, unixSeconds: Int64) throws -> (
        text: String, succeeded: Bool
    ) {
        let intermediateFile = try file("intermediate.der", intermediate)
        let pem = try run("x509", "-inform", "DER", "-in", intermediateFile)
        return try run(
            "verify", "-attime", String(unixSeconds), "-CAfile", try file("root.pem", Array(rootPEM.utf8)),
            "-no-CApath", "-untrusted", try file("intermediate.pem", Array(pem.text.utf8)), try file("leaf.der", leaf))
    }
}
