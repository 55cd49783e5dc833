import ArgumentParser
import AssayAPI
import Foundation
import SwiftProtobuf

/// A plugin's process and the daemon's end of its connection, as `docs/reference/plugin-protocol.md` has them.
final class PluginPeer {
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

    /// User and system time of the process so far.
    func cpuSeconds() throws -> Double { try ProcessorTime.seconds(of: process) }

    /// Asks for the description, and configures the plugin.
    ///
    /// - Parameters:
    ///   - format: one that it must describe.
    ///   - configuration: JSON, as in the catalog.
    func start(_ format: String, configuration: [UInt8]) throws {
        let described = try call("Describe", Assay_Plugin_V1_DescribeRequest.with { $0.protocolVersions = [1] })
        let formats = try Assay_Plugin_V1_DescribeResponse(serializedBytes: described).formats.map(\.name)
        guard formats.contains(Data(format.utf8)) else { throw ValidationError("the plugin has no format \(format)") }
        let configured = try call(
            "Configure",
            Assay_Plugin_V1_ConfigureRequest.with { ($0.protocolVersion, $0.configuration) = (1, Data(configuration)) })
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

    /// Microseconds for each call, as the clock has it. All evidence must be accepted.
    func appraise(_ request: Assay_Plugin_V1_AppraiseRequest, _ count: Int, window: Int) throws -> Double {
        let request = try PlainFrame.Request("/assay.plugin.v1.Plugin/Appraise", request)
        let bursts = (0..<max(1, count / window)).map { burst in
            (0..<window).flatMap { PlainFrame.call(UInt64(1_000_000 + burst * window + $0), request) }
        }
        var last: [UInt8]?
        let start = ContinuousClock.now
        for burst in bursts { last = try connection.exchange(burst, frames: window).last }
        let took = ContinuousClock.now - start
        let answer = try Assay_Plugin_V1_AppraiseResponse(serializedBytes: last.flatMap(PlainFrame.answer) ?? [])
        guard !answer.findings.isEmpty, answer.findings.allSatisfy({ $0.outcome == .pass || $0.outcome == .note }) else {
            throw ValidationError("the plugin does not accept the benchmark's evidence")
        }
        return took / .microseconds(1) / Double(bursts.count * window)
    }
}
