import Foundation
import Testing

/// The methods that proto/assay/v1 defines, read from its text.
enum ProtoFiles {
    /// gRPC paths, sorted.
    static func methods() throws -> [String] { try texts().flatMap(methods(of:)).sorted() }

    /// Every `oneof`, as `Message.name`, sorted.
    static func choices() throws -> [String] {
        try texts().flatMap { text in
            var (choices, message): ([String], Substring) = ([], "")
            for line in text.split(separator: "\n") {
                let words = line.prefix { $0 != "/" }.split(separator: " ")
                if words.first == "message", let name = words.dropFirst().first { message = name }
                if words.first == "oneof", let name = words.dropFirst().first { choices.append("\(message).\(name)") }
            }
            return choices
        }.sorted()
    }

    private static func texts() throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = root.appending(path: "proto/assay/v1")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "proto" }
        try #require(!files.isEmpty)
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    private static func methods(of text: String) throws -> [String] {
        let words = text.split(separator: "\n").map { $0.prefix { $0 != "/" } }.joined(separator: " ")
            .replacing("(", with: " ( ").replacing("{", with: " { ").replacing("}", with: " } ").replacing(";", with: " ; ")
            .split(separator: " ")
        let package = try #require(zip(words, words.dropFirst()).first { $0.0 == "package" }?.1)
        var paths: [String] = []
        var service: Substring?
        for (word, next) in zip(words, words.dropFirst()) {
            switch word {
            case "service": service = next
            case "message", "enum": service = nil
            case "rpc": paths.append("/\(package).\(try #require(service, "an rpc stands outside of a service"))/\(next)")
            default: continue
            }
        }
        return paths
    }
}
