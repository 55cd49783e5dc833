import Foundation

/// Files of results, which programs read.
enum JSONResults {
    /// Writes a value, with its folder, in a form whose differences are readable.
    static func write(_ value: some Encodable, to file: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let place = URL(fileURLWithPath: file)
        try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try (encoder.encode(value) + Data("\n".utf8)).write(to: place)
    }
}
