import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

/// The checks of calls and frames: `unknown_method` to `ping`.
extension PluginExamination {
    /// 300,000 fields that no message has: a decoder needs many times their size.
    private static let unknownFields: [UInt8] = {
        let field: [UInt8] = [0xFA, 0x07, 0x00]
        var fields = field
        while fields.count < 300_000 * field.count { fields += fields }
        return Array(fields.prefix(300_000 * field.count))
    }()

    func unknownMethods() async throws -> String {
        let process = try await RawPlugin(plugin, host: host)
        let paths = [
            "/assay.plugin.v1.Plugin/None", "/assay.plugin.v1.Host/Log", "/assay.plugin.v2.Plugin/Describe", "Describe",
            "/" + String(repeating: "x", count: 5000), "/assay.plugin.v1.Plugin/Describe\0", "",
        ]
        for path in paths {
            let reply = try await process.call(path: path, [], "an unknown method")
            guard reply.code == 12, reply.reason == "unknown_method" else {
                throw CheckFailure(
                    "expected: the method \"\(path.prefix(40))\" is answered status 12 unknown_method; found: \(reply.words)")
            }
        }
        _ = try await process.describe()
        return "\(paths.count) methods: status 12 unknown_method"
    }

    func undecodableMessages() async throws -> String {
        let process = try await openRaw()
        var methods: [PluginConnection.Method] = [.describe, .validate, .configure]
        if try !described().formats.isEmpty { methods.append(.appraise) }
        let wrong: [[UInt8]] = [[0xFF], [0x0A, 0x05, 0x61], [0x00]]
        for method in methods {
            for message in wrong {
                let reply = try await process.call(path: method.path, message, "an undecodable message")
                guard reply.code == 3, reply.reason == "undecodable_message" else {
                    throw CheckFailure(
                        "expected: \(method.rawValue) with the message \(Hex.encode(message)) is answered status 3 undecodable_message; found: \(reply.words)"
                    )
                }
            }
        }
        let reply = try await process.call(
            path: PluginConnection.Method.describe.path, Self.unknownFields, "a message of 300000 unknown fields")
        guard reply.isOK || reply.code == 8 else {
            throw CheckFailure("expected: OK or status 8 for a message of 300000 unknown fields; found: \(reply.words)")
        }
        _ = try await process.describe()
        return
            "\(methods.count * wrong.count) messages: status 3 undecodable_message; 300000 unknown fields: \(reply.isOK ? "OK" : "status 8")"
    }

    func brokenFrames() async throws -> String {
        let broken: [(String, [UInt8])] = [
            ("a frame of length 0", [0, 0, 0, 0]), ("a frame of one byte above the limit", [0, 0x10, 0, 1]),
            ("a frame of 4 GiB", [0xFF, 0xFF, 0xFF, 0xFF]), ("a frame of 2 GiB", [0x7F, 0xFF, 0xFF, 0xFF]),
            ("an undecodable frame", [0, 0, 0, 1, 0xFF]), ("a frame of two kinds", [0, 0, 0, 4, 0x3A, 0, 0x3A, 0]),
        ]
        for (what, bytes) in broken {
            let process = try await RawPlugin(plugin, host: host)
            try await process.send(bytes)
            let end = try await process.end()
            switch end {
            case .exited(let status)? where status != 0: break
            case nil:
                // Ignoring it is no harm, if the plugin goes on.
                try await process.ping(after: what)
            case let end?:
                throw CheckFailure("expected: an end with a status other than 0 after \(what); found: it \(end)")
            }
        }
        return "\(broken.count) frames: it ended with a status other than 0"
    }

    func changedFrames() async throws -> String {
        var random = RepeatableRandom(2)
        var process: RawPlugin?
        let request = try requests().first?.request
        var ended = 0
        let count = 150
        for _ in 0..<count {
            let open: RawPlugin
            if let process { open = process } else { open = try await openRaw() }
            process = open
            open.toleratesAnyReply = true
            var frame =
                request.map { open.frames([$0]).bytes }
                ?? RawFrame.call(
                    1, PluginConnection.Method.describe.path, [], timeoutMilliseconds: Int64(open.patience / .milliseconds(1)))
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 4..<min(frame.count, 304), using: &random)
                frame[place] = UInt8(truncatingIfNeeded: random.next())
            }
            let what = "a changed frame of \(Self.shown(frame))"
            try await open.send(frame)
            if try await open.pongs(after: what) { continue }
            process = nil
            ended += 1
            guard let end = try await open.end() else {
                throw CheckFailure("expected: it ends with its connection after \(what); found: it runs on")
            }
            guard case .exited(let status) = end, status != 0 else {
                throw CheckFailure("expected: an answer, or an end with a status other than 0, after \(what); found: it \(end)")
            }
        }
        return "\(count) frames: \(count - ended) answered or ignored, \(ended) ended it with a status"
    }

    func endWithinFrame() async throws -> String {
        for part: [UInt8] in [[0], [0, 0, 0, 10], [0, 0, 0, 10, 8, 1, 0x12]] {
            let process = try await RawPlugin(plugin, host: host)
            _ = try await process.describe()
            try await process.send(part)
            process.halfClose()
            let end = try await process.end()
            guard case .exited(let status)? = end, status != 0 else {
                throw CheckFailure(
                    "expected: a status other than 0 at the end after \(part.count) bytes of a frame; found: \(end.map { "it \($0)" } ?? "it runs on after \(process.patience.short)")"
                )
            }
        }
        return "it ended with a status other than 0"
    }

    func halfClose() async throws -> String {
        let idle = try await RawPlugin(plugin, host: host)
        idle.halfClose()
        try requireCleanEnd(try await idle.end(), "after a connection without calls", idle.process)
        let process = try await openRaw()
        let count = min(16, plugin.entry.limits.concurrency)
        var ids: [UInt64] = []
        let known = try requests().first
        if let known {
            host.set(known.world)
            let (begun, bytes) = process.frames(Array(repeating: known.request, count: count))
            ids = begun
            try await process.send(bytes)
        } else {
            for _ in 0..<count { ids.append(try await process.begin(.health, Assay_Plugin_V1_HealthRequest())) }
        }
        process.halfClose()
        let end = try await process.end(within: max(timeout, process.patience))
        let answers = process.answers(to: ids)
        guard answers.count == count else {
            throw CheckFailure(
                "expected: all \(count) calls in flight are answered after half-close; found: \(answers.count), and \(end.map { "it \($0)" } ?? "it runs on")"
            )
        }
        // The host answers nothing any more: a plugin that asks it answers UNAVAILABLE.
        let asks = try !described().hostServices.isEmpty
        if known != nil, let wrong = answers.first(where: { !($0.isOK || asks && $0.code == 14) }) {
            throw CheckFailure("expected: calls in flight are answered OK after half-close; found: \(wrong.words)")
        }
        try requireCleanEnd(end, "after half-close with \(count) calls in flight", process.process)
        return "\(count) calls answered, exit status 0"
    }

    func pingAmongCalls() async throws -> String {
        let process = try await openRaw()
        let known = try requests()
        let count = min(32, plugin.entry.limits.concurrency)
        var ids: [UInt64] = []
        if let first = known.first {
            host.set(first.world)
            let (begun, bytes) = process.frames(Array(repeating: first.request, count: count), timeout: timeout * count)
            ids = begun
            try await process.send(bytes)
        }
        let began = ContinuousClock.now
        try await process.ping(after: "\(ids.count) calls", within: timeout * max(1, ids.count))
        let elapsed = ContinuousClock.now - began
        for id in ids { _ = try await process.reply(to: id, "a call before a ping", within: timeout * ids.count) }
        return "a pong after \(elapsed.short) behind \(ids.count) calls"
    }
}
