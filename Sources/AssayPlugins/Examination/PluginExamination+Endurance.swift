import AssayAPI
import AssayCore
import Foundation
import Glibc

/// The checks over many calls and many processes: `memory` to `shutdown`.
extension PluginExamination {
    /// How much more memory a process may have at the end, in bytes: what the allocators of the SDKs' languages vary by.
    static let growthLimit = 512 << 10
    /// How often in a row the same number of calls has to need so much more.
    private static let growthRounds = 4
    private static let window = 50

    func memory() async throws -> String {
        guard options.calls >= 100 else { throw CheckSkipped("\(options.calls) calls are too few, want 100 (--calls)") }
        let session = try await open()
        let warmUp = options.calls / 10
        try await call(session, warmUp, from: 0)
        var (before, calls) = (try Self.residentBytes(of: session.process.id), warmUp)
        let first = before
        var growth = 0
        // A leak goes on; an allocator, and queues that fill differently when the machine is loaded, do not.
        for _ in 0..<Self.growthRounds {
            try await call(session, options.calls - warmUp, from: warmUp)
            calls += options.calls - warmUp
            let now = try Self.residentBytes(of: session.process.id)
            (growth, before) = (now - before, now)
            if growth <= Self.growthLimit { break }
        }
        guard growth <= Self.growthLimit else {
            throw CheckFailure(
                "expected: at most \(Self.growthLimit >> 10) KiB more memory; found: \(growth >> 10) KiB more in \(options.calls - warmUp) calls, "
                    + "\(Self.growthRounds) times one after the other, \(first >> 10) KiB after the first \(warmUp)")
        }
        try requireCleanEnd(await session.close(), "after \(calls) calls", session.process)
        return "\(first >> 10) KiB after \(warmUp) calls, \(max(0, before - first) >> 10) KiB more after \(calls)"
    }

    /// Makes calls, so many at a time as the entry allows.
    private func call(_ session: PluginSession, _ count: Int, from start: Int) async throws {
        let known = try requests()
        let window = min(Self.window, plugin.entry.limits.concurrency)
        // Calls in a window wait for each other.
        let timeout = timeout * window
        // The daemon's queue holds back what a connection does not take.
        let bytes = 1 << 20
        var done = 0
        while done < count {
            let (request, world) =
                known.isEmpty ? (nil, .empty) : { ($0.request, $0.world) }(known[done / window % known.count])
            host.set(world)
            let size = min(window, count - done, max(1, bytes / max(request?.body.count ?? 0, 1)))
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<size {
                        group.addTask {
                            if let request {
                                _ = try await session.judge(request, timeout: .enforced(timeout))
                            } else {
                                _ = try await session.health(timeout: .enforced(timeout))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            } catch {
                // What a plugin answers by a status is an answer too.
                guard case PluginCallFailure.status? = error as? PluginCallFailure, session.isOpen else {
                    throw CheckFailure("expected: \(options.calls) answers; found: after \(done): \(error)")
                }
            }
            done += size
            progress(.memory, start + done, options.calls)
        }
    }

    static func residentBytes(of process: Int32) throws -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw CheckSkipped("/proc/\(process)/statm cannot be read")
        }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    // MARK: Restarts

    /// What a process of the plugin could leave behind in the process that started it.
    private struct Remains {
        let descriptors: Int
        let threads: Int
        let children: Int

        init() {
            func count(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }
            descriptors = count("/proc/self/fd")
            threads = count("/proc/self/task")
            let own = getpid()
            children = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).count { name in
                guard Int32(name) != nil, let stat = FileManager.default.contents(atPath: "/proc/\(name)/stat") else {
                    return false
                }
                return Self.parent(in: stat) == own
            }
        }

        /// The parent in the content of a file `stat`, such as `4711 (name) S 1 …`. The name may contain spaces and brackets.
        private static func parent(in stat: Data) -> Int32? {
            guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let number = stat[end...].dropFirst(") S ".utf8.count).prefix { $0 != UInt8(ascii: " ") }
            return Int32(String(decoding: number, as: UTF8.self))
        }

        /// What there is more of than so many, in words.
        func more(than before: Remains, by limit: Int) -> [String] {
            [
                ("descriptors", descriptors - before.descriptors), ("threads", threads - before.threads),
                ("child processes", children - before.children),
            ].filter { $0.1 > limit }.map { "\($0.1) more \($0.0)" }
        }
    }

    func restarts() async throws -> String {
        guard options.restarts > 0 else { throw CheckSkipped("no restarts are wanted (--restarts)") }
        func restart() async throws {
            let session = try await open()
            try requireCleanEnd(await session.close(), "after it was started", session.process)
        }
        try await restart()
        let before = Remains()
        let began = ContinuousClock.now
        for number in 1...options.restarts {
            do { try await restart() } catch { throw CheckFailure("restart \(number): \(error)") }
            progress(.restarts, number, options.restarts)
        }
        let each = (ContinuousClock.now - began) / options.restarts
        // What is closed is gone a little later. Threads of the runtime come and go.
        let limit = max(2, options.restarts / 20)
        for _ in 0..<100 where !Remains().more(than: before, by: limit).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        let more = Remains().more(than: before, by: limit)
        guard more.isEmpty else {
            throw CheckFailure(
                "expected: nothing is left after \(options.restarts) restarts; found: \(more.joined(separator: ", "))")
        }
        return "\(options.restarts) restarts of \((each).precise) each; no descriptors, threads or processes are left"
    }

    func output() throws -> String {
        let count = host.lineCount
        guard count > 0 else { throw CheckSkipped("the plugin wrote nothing in all checks, so that nothing could hinder it") }
        return "\(count) lines were read, and hindered nothing"
    }

    func ends() async throws -> String {
        let session = try await open()
        if let first = try requests().first { _ = try? await judge(session, first.request, in: first.world, "evidence") }
        let began = ContinuousClock.now
        try requireCleanEnd(await session.close(), "after half-close", session.process)
        let elapsed = ContinuousClock.now - began
        let orphan = try await openRaw()
        orphan.abandon()
        guard try await orphan.end() != nil else {
            throw CheckFailure("expected: it ends when the daemon is gone; found: it runs on after \(orphan.patience.short)")
        }
        return "exit status 0 after \(elapsed.precise); it ends when the daemon is gone"
    }
}

extension Duration {
    /// Milliseconds with one decimal, for people.
    fileprivate var precise: String { "\((self / .microseconds(100)).rounded() / 10) ms" }
}
