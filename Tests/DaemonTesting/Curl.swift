import Foundation
import Testing

/// Requests to an operations address by curl, a client that knows nothing of the daemon.
enum Curl {
    struct Answer: Sendable, CustomStringConvertible {
        /// 0: there was no answer.
        let status: Int
        let contentType: String
        let body: String

        var description: String { "\(status) \(contentType)\n\(body.prefix(2000))" }
    }

    /// - Parameters:
    ///   - url: `http://127.0.0.1:port/path`, or with `https`.
    ///   - options: further options of curl.
    static func get(_ url: String, _ options: [String] = [], accept: String = "*/*") async throws -> Answer {
        let mark = "\n==answer=="
        let command =
            ["-sS", "--max-time", "30", "-H", "Accept: \(accept)", "-w", mark + "%{http_code} %{content_type}"] + options + [
                url
            ]
        let ending = try await Child("/usr/bin/curl", command).ending()
        let parts = ending.out.components(separatedBy: mark)
        let end = try #require(parts.last).split(separator: " ", maxSplits: 1).map(String.init)
        return Answer(
            status: end.first.flatMap { Int($0) } ?? 0, contentType: end.dropFirst().first ?? "",
            body: parts.dropLast().joined(separator: mark))
    }

    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")
}

/// Checks metrics with Prometheus' own tool.
enum Promtool {
    static let path = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// What it says of a scrape in Prometheus' text format; empty: nothing.
    static func problems(_ text: String) async throws -> String {
        let ending = try await Child(try #require(path), ["check", "metrics"], input: text).ending()
        return ending.status == 0 ? "" : ending.out + ending.err
    }
}
