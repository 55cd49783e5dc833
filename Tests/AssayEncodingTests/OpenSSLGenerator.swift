import Foundation
import Testing

/// The DER that the system's `openssl asn1parse` makes from a description: an independent writer.
enum OpenSSLGenerator {
    private static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    static let isAvailable = path != nil

    /// The element that a description such as `INTEGER:5` stands for (openssl-asn1parse(1), ASN1_generate_nconf(3)).
    static func der(_ description: String) throws -> [UInt8] { try run { _ in ["-genstr", description] } }

    /// A SET of the elements, in the order that DER requires.
    static func der(setOf elements: [String]) throws -> [UInt8] {
        let lines = ["asn1=SET:elements", "[elements]"] + elements.enumerated().map { "element\($0)=\($1)" }
        return try run { folder in
            let file = folder.appending(path: "set.cnf")
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            return ["-genconf", file.path()]
        }
    }

    private static func run(_ arguments: (URL) throws -> [String]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assay-encoding-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appending(path: "element.der")
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = try ["asn1parse", "-noout", "-out", output.path()] + arguments(folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Array(try Data(contentsOf: output))
    }
}
