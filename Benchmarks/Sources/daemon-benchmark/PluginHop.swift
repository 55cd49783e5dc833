import ArgumentParser
import AssayAPI
import AssayCore
import Crypto
import Foundation
import SwiftProtobuf

/// The cost of the boundary to a plugin: an Appraise of the HMAC template, over the socket pair, against one raw P-256 verification.
struct PluginBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin",
        abstract: "A call to a plugin and back, one by one and in a window, against one verification.",
        discussion: """
            The plugin is a template (plugins/template-c, template-python, template-swift), started without the sandbox, which costs nothing for a call. \
            One HMAC-SHA256 is part of each call.
            """)

    @Option(help: "Calls in each round.")
    var calls: Int = 20_000

    @Option(help: "Rounds; the median is shown.")
    var rounds: Int = 5

    @Option(help: "Calls in flight in the second part.")
    var window: Int = 64

    @Argument(help: "The plugin's executable and its arguments.")
    var command: [String]

    func run() async throws {
        let plugin = try PluginPeer(command)
        try plugin.start("example.hmac", configuration: Array(#"{"key":"\#(Hex.encode(Self.key))"}"#.utf8))
        let request = Self.request
        let unit = try RawOperation.verification()
        _ = try plugin.appraise(request, 1_000, window: window)
        var (single, pipelined): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            let before = unit.microseconds()
            let one = try plugin.appraise(request, calls, window: 1)
            let many = try plugin.appraise(request, calls, window: window)
            let microseconds = (before + unit.microseconds()) / 2
            single.append(one / microseconds)
            pipelined.append(many / microseconds)
        }
        func text(_ ratios: [Double]) -> String {
            let sorted = ratios.sorted()
            let (low, high) = (sorted.first ?? 0, sorted.last ?? 0)
            return String(format: "%.2f verifications (%.2f to %.2f)", sorted[sorted.count / 2], low, high)
        }
        print("one by one:   \(text(single))")
        print("window of \(window): \(text(pipelined))")
    }

    private static let key: [UInt8] = Array(0..<32)

    private static var request: Assay_Plugin_V1_AppraiseRequest {
        let clientData = [UInt8](repeating: 7, count: 93)
        let mac = HMAC<SHA256>.authenticationCode(for: clientData, using: SymmetricKey(data: key))
        return .with {
            ($0.callToken, $0.format, $0.app) = (Data(count: 16), Data("example.hmac".utf8), Data("app".utf8))
            ($0.purpose, $0.body, $0.nowUnixMs) = (.assert, Data(mac), 1_800_000_000_000)
            $0.expected = .with { $0.clientData = Data(clientData) }
        }
    }
}
