import Foundation

/// A folder that is deleted with the object. Its path is short: a Unix socket's has at most 107 bytes.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "assay-" + String(UInt32.random(in: 0...(.max)), radix: 36)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    func text(_ name: String) -> String {
        FileManager.default.contents(atPath: file(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
