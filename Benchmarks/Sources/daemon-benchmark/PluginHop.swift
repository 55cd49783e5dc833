import ArgumentParser
import AssayAPI
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
        try plugin.start(key: Array(0..<32))
        let unit = try RawOperation.verification()
        _ = try plugin.appraise(1_000, window: window)
        var (single, pipelined): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            let before = unit.microseconds()
            let one = try plugin.appraise(calls, window: 1)
            let many = try plugin.appraise(calls, window: window)
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
}

/// A plugin's process and the daemon's end of its connection, as `docs/plugins/protocol.md` has them.
private final class PluginPeer {
    private let connection: PlainConnection
    private let process: pid_t
    private var next: UInt64 = 1

    init(_ command: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, let path = command.first else {
            throw POSIXError(.EINVAL)
        }
        // Above the descriptors of the protocol, so that none is overwritten before it is used.
        let (own, theirs) = (fcntl(ends[0], F_DUPFD_CLOEXEC, 20), fcntl(ends[1], F_DUPFD_CLOEXEC, 20))
        for end in ends { close(end) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, theirs, 3)
        let environment = [
            "ASSAY_PLUGIN_COOKIE=1b5f6a40-assay-plugin-v1", "ASSAY_PLUGIN_PROTOCOLS=1", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
            "TZ=UTC",
        ]
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, path, &actions, nil, &arguments, &variables)
        close(theirs)
        guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
        self.process = process
        connection = PlainConnection(adopting: own)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    func start(key: [UInt8]) throws {
        let described = try call("Describe", Assay_Plugin_V1_DescribeRequest.with { $0.protocolVersions = [1] })
        let format = try Assay_Plugin_V1_DescribeResponse(serializedBytes: described).formats.first?.name
        guard format == Data("example.hmac".utf8) else { throw ValidationError("the plugin is not the HMAC template") }
        let text = key.map { String(format: "%02x", $0) }.joined()
        let configured = try call(
            "Configure",
            Assay_Plugin_V1_ConfigureRequest.with {
                ($0.protocolVersion, $0.configuration) = (1, Data(#"{"key":"\#(text)"}"#.utf8))
            })
        guard try Assay_Plugin_V1_ConfigureResponse(serializedBytes: configured).problems.isEmpty else {
            throw ValidationError("the plugin refuses its configuration")
        }
    }

    private func call(_ method: String, _ message: some Message) throws -> [UInt8] {
        let request = try PlainFrame.Request("/assay.plugin.v1.Plugin/" + method, message)
        defer { next += 1 }
        guard let reply = try connection.exchange(PlainFrame.call(next, request), frames: 1).first,
            let answer = PlainFrame.answer(reply)
        else { throw ValidationError("\(method) has no answer") }
        return answer
    }

    /// Microseconds for each call, as the clock has it.
    func appraise(_ count: Int, window: Int) throws -> Double {
        let clientData = [UInt8](repeating: 7, count: 93)
        let mac = HMAC<SHA256>.authenticationCode(for: clientData, using: SymmetricKey(data: Array(0..<32)))
        let request = try PlainFrame.Request(
            "/assay.plugin.v1.Plugin/Appraise",
            Assay_Plugin_V1_AppraiseRequest.with {
                ($0.callToken, $0.format, $0.app) = (Data(count: 16), Data("example.hmac".utf8), Data("app".utf8))
                ($0.purpose, $0.body, $0.nowUnixMs) = (.assert, Data(mac), 1_800_000_000_000)
                $0.expected = .with { $0.clientData = Data(clientData) }
            })
        let bursts = (0..<max(1, count / window)).map { burst in
            (0..<window).flatMap { PlainFrame.call(UInt64(1_000_000 + burst * window + $0), request) }
        }
        var last: [UInt8]?
        let start = ContinuousClock.now
        for burst in bursts { last = try connection.exchange(burst, frames: window).last }
        let took = ContinuousClock.now - start
        let answer = try Assay_Plugin_V1_AppraiseResponse(serializedBytes: last.flatMap(PlainFrame.answer) ?? [])
        guard !answer.findings.isEmpty, answer.findings.allSatisfy({ $0.outcome == .pass }) else {
            throw ValidationError("the plugin does not accept the benchmark's evidence")
        }
        return took / .microseconds(1) / Double(bursts.count * window)
    }
}
