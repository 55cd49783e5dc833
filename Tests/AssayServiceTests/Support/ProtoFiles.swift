import Foundation
import Testing

/// The methods and messages that proto/assay/v1 defines, read from its text.
enum ProtoFiles {
    /// An `rpc` of a service.
    struct Method: Hashable {
        /// The gRPC path.
        var path: String
        /// The full names of the messages.
        var request: String
        var response: String
        var isStream: Bool
    }

    /// Sorted by path.
    static func methods() throws -> [Method] { try texts().flatMap(methods(of:)).sorted { $0.path < $1.path } }

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

    /// A field of a message.
    struct Field: Hashable {
        var number: Int
        /// The type, as it stands there.
        var type: String
        var isRepeated = false
    }

    /// The fields of a message, those of its oneofs too, in the order of the file.
    static func fields(of message: String) throws -> [Field] {
        let lines = try texts().flatMap { $0.split(separator: "\n") }.map { line -> [String] in
            let statement = line.prefix { $0 != "/" }.replacing(";", with: " ")
            return statement.split(separator: " ").map { String($0) }
        }
        let start = try #require(lines.firstIndex(of: ["message", message, "{"]), "there is no message \(message)")
        var (fields, depth): ([Field], Int) = ([], 0)
        for words in lines[start...] {
            depth += words.count { $0 == "{" } - words.count { $0 == "}" }
            if depth == 0 { break }
            let isRepeated = words.first == "repeated"
            let rest = Array(words.dropFirst(isRepeated ? 1 : 0))
            // TYPE name = NUMBER; the values of an enumeration have no type.
            guard rest.count == 4, rest[2] == "=", let number = Int(rest[3]) else { continue }
            fields.append(Field(number: number, type: rest[0], isRepeated: isRepeated))
        }
        return fields
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

    private static func methods(of text: String) throws -> [Method] {
        let words = text.split(separator: "\n").map { $0.prefix { $0 != "/" } }.joined(separator: " ")
            .replacing(/[(){};]/, with: { " \($0.output) " }).split(separator: " ").map(String.init)
        let package = try #require(zip(words, words.dropFirst()).first { $0.0 == "package" }?.1)
        var methods: [Method] = []
        var service: String?
        for index in words.indices.dropLast() {
            switch words[index] {
            case "service": service = words[index + 1]
            case "message", "enum": service = nil
            case "rpc":
                // rpc Name ( Request ) returns ( [stream] Response )
                let rest = words[index...].prefix { $0 != ";" }.filter { $0 != "stream" }
                try #require(rest.count == 9, "an rpc is written in an unknown way")
                methods.append(
                    Method(
                        path: "/\(package).\(try #require(service, "an rpc stands outside of a service"))/\(rest[1])",
                        request: "\(package).\(rest[3])", response: "\(package).\(rest[7])",
                        isStream: words[index...].prefix { $0 != ";" }.contains("stream")))
            default: continue
            }
        }
        return methods
    }
}
