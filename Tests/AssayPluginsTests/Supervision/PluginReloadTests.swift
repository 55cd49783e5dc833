import AssayCore
import AssayTesting
import Crypto
import Foundation
import Synchronization
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Reloads of plugins")
    struct PluginReloadTests {
        let hostile = HostilePlugins()

        @Test("An unchanged entry keeps its process, and a changed one gets a new one before the old one ends")
        func unchanged() async throws {
            let entry = try HostilePlugins.entry()
            let plugin = try await hostile.use(entry)
            let process = plugin.status.processes.first?.id
            #expect(try await hostile.use(entry) === plugin && plugin.status.processes.first?.id == process)
            var changed = entry
            changed.limits.concurrency = 3
            let exchange = try await hostile.plugins.prepare([changed])
            #expect(hostile.plugins[entry.id] === plugin && plugin.status.processes.first?.id == process)
            exchange()
            let next = try #require(hostile.plugins[entry.id])
            #expect(next !== plugin && next.status.state == .ready)
            await plugin.finished()
            #expect(plugin.status.state == .stopped && plugin.status.counts.deaths == 0)
            await hostile.plugins.stop()
        }

        private final class Reloads: Sendable {
            let areOver = Mutex(false)
            let calls = Atomic(0)
        }

        @Test("Reloads under load lose no call")
        func underLoad() async throws {
            let entry = try HostilePlugins.entry { $0.limits.concurrency = 4 }
            _ = try await hostile.use(entry)
            let (hostile, reloads) = (hostile, Reloads())
            let (words, calls) = try await withThrowingTaskGroup(of: (Set<String>, Int).self) { group in
                for caller in 0..<16 {
                    group.addTask {
                        var (words, calls): (Set<String>, Int) = ([], 0)
                        while !reloads.areOver.withLock({ $0 }) {
                            // Held across the exchange, as a call of the pipeline holds it.
                            let plugin = try #require(hostile.plugins["hostile"])
                            words.insert(await plugin.word("good \(caller) \(calls)", format: HostilePlugins.located))
                            words.insert(await plugin.word("late 2 \(calls)"))
                            calls += 2
                            reloads.calls.add(2, ordering: .relaxed)
                        }
                        return (words, calls)
                    }
                }
                for round in 0..<20 {
                    var changed = entry
                    changed.limits.queue = 1000 + round
                    try await hostile.use([changed])
                    try await eventually("calls are made between reloads") {
                        reloads.calls.load(ordering: .relaxed) > 8 * (round + 1)
                    }
                }
                reloads.areOver.withLock { $0 = true }
                return try await group.reduce(into: (Set<String>(), 0)) { total, part in
                    total.0.formUnion(part.0)
                    total.1 += part.1
                }
            }
            #expect(words == ["accepted"] && calls > 100)
            await hostile.plugins.stop()
        }

        @Test("Calls in flight and in the queue of a process that is replaced are answered")
        func drained() async throws {
            let entry = try HostilePlugins.entry { $0.limits.concurrency = 1 }
            let plugin = try await hostile.use(entry)
            hostile.host.hold()
            let calls = (0..<4).map { index in Task { await plugin.word("find \(index)") } }
            #expect(await eventually { plugin.status.queued == 3 })
            var changed = entry
            changed.limits.queue = 1000
            _ = try await hostile.use(changed)
            hostile.host.release()
            for call in calls { #expect(await call.value == "accepted") }
            // A call to the old supervisor goes to the new one.
            #expect(await plugin.word("good") == "accepted")
            await plugin.finished()
            #expect(plugin.status.counts.deaths == 0 && hostile.plugins.quarantine.isEmpty)
            await hostile.plugins.stop()
        }

        @Test("A reload with entries that cannot be used is refused with every problem, and changes nothing")
        func refused() async throws {
            let entry = try HostilePlugins.entry()
            let plugin = try await hostile.use(entry)
            var (pin, lie) = (try HostilePlugins.entry(), try HostilePlugins.entry(["name"]))
            (pin.id, pin.file) = ("pin", "plugins.d/pin.yaml")
            pin.manifest.files[BuiltPlugin.hostile] = [UInt8](repeating: 0, count: 32)
            (lie.id, lie.file) = ("lie", "plugins.d/lie.yaml")
            do {
                _ = try await hostile.plugins.prepare([entry, pin, lie])
                Issue.record("not refused")
            } catch {
                #expect(error.problems.count == 2 && error.description.contains("plugins.d/pin.yaml"), "\(error)")
                #expect(
                    error.description.contains("plugins.d/lie.yaml: the plugin says that it is 'another-plugin'"), "\(error)")
            }
            #expect(hostile.plugins.all.map(\.entry.id) == ["hostile"] && plugin.status.state == .ready)
            await #expect(throws: PluginReloadRefused.self) { _ = try await hostile.plugins.prepare([entry, entry]) }
            await hostile.plugins.stop()
        }

        @Test(
            "A plugin that only cannot start now does not refuse a reload, and one that is refused is tried again by the next")
        func retried() async throws {
            var (entry, dying) = (try HostilePlugins.entry(), try HostilePlugins.entry(["exit"]))
            dying.id = "dying"
            _ = try await hostile.use(entry)
            try await hostile.use([entry, dying])
            #expect(hostile.plugins["dying"]?.status.state != .ready && hostile.plugins["dying"]?.outage != nil)
            await hostile.plugins.stop()

            // A copy of the executable that is damaged and restored.
            let path = hostile.folder.path() + "/plugin"
            try FileManager.default.createDirectory(at: hostile.folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: BuiltPlugin.hostile, toPath: path)
            let other = HostilePlugins(folder: hostile.folder)
            entry.manifest = PluginManifest([path: try SealedExecutable(copying: path).sha256])
            entry.command = path
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            try (good + Data([0])).write(to: URL(fileURLWithPath: path))
            let plugin = try await other.use(entry)
            #expect(plugin.status.state == .refused && plugin.status.problem?.contains(path) == true)
            try good.write(to: URL(fileURLWithPath: path))
            await #expect(throws: PluginReloadRefused.self) {
                var wrong = entry
                wrong.manifest.files[path] = [UInt8](repeating: 0, count: 32)
                _ = try await other.plugins.prepare([wrong])
            }
            #expect(plugin.status.state == .refused)
            #expect(try await other.use(entry).status.state == .ready)
            await other.plugins.stop()
        }

        @Test("A configuration that the plugin refuses refuses the reload, and a good one comes to a new process")
        func configuration() async throws {
            let home = try PluginHome()
            func entry(key: String) throws -> PluginEntry {
                let name = "key-\(key.prefix(4))"
                try home.write(key, to: name, mode: 0o600)
                let digest = try SealedExecutable(copying: BuiltPlugin.template).sha256
                var entry = PluginEntry(
                    id: "hmac", name: "example-hmac", file: "plugins.d/hmac.yaml", command: BuiltPlugin.template,
                    manifest: PluginManifest([BuiltPlugin.template: digest]),
                    formats: [EvidenceFormat(rawValue: "example.hmac")],
                    apps: [HostilePlugins.shop])
                entry.sandbox = BuiltPlugin.sandbox
                entry.configuration = PluginConfiguration(json: Array(#"{"key":"\#(name)"}"#.utf8), folder: home.path)
                return entry
            }
            func word(_ key: UInt8) async throws -> String {
                let (data, plugin) = (Array("client data".utf8), try #require(hostile.plugins["hmac"]))
                let key = SymmetricKey(data: [UInt8](repeating: key, count: 32))
                let request = PluginRequest(
                    app: HostilePlugins.shop, format: EvidenceFormat(rawValue: "example.hmac"), purpose: .assert,
                    body: Array(HMAC<SHA256>.authenticationCode(for: data, using: key)), clientData: data,
                    now: Timestamp(unixMilliseconds: 1_800_000_000_000), ceiling: .hardware)
                guard case .appraised(let appraisal, _, _) = try await plugin.judge(request) else { return "refused" }
                return appraisal.failure?.rejection?.code.rawValue ?? "accepted"
            }
            let (first, second) = (String(repeating: "05", count: 32), String(repeating: "06", count: 32))
            try await hostile.use([entry(key: first)])
            #expect(try await [word(5), word(6)] == ["accepted", "bad_signature"])
            do {
                _ = try await hostile.plugins.prepare([entry(key: "06")])
                Issue.record("not refused")
            } catch {
                #expect("\(error)".contains("plugins.d/hmac.yaml: the plugin refuses its configuration: key: "), "\(error)")
            }
            #expect(try await word(5) == "accepted")
            try await hostile.use([entry(key: second)])
            #expect(try await [word(5), word(6)] == ["bad_signature", "accepted"])
            await hostile.plugins.stop()
        }

        @Test("Stopping answers what waits, ends a plugin that hangs after the grace, and blames nothing")
        func stop() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry { $0.limits.concurrency = 1 })
            let hanging = Task { await plugin.word("hang") }
            #expect(await eventually { plugin.status.processes.first?.inFlight == 1 })
            let waiting = Task { await plugin.word("good") }
            #expect(await eventually { plugin.status.queued == 1 })
            let process = try #require(plugin.status.processes.first).id
            let time = await ContinuousClock().measure { await hostile.plugins.stop() }
            // After the grace of a second, and not at the call's deadline of 60.
            #expect(time < .seconds(30) && !isAlive(process))
            #expect(await hanging.value == "plugin_ended")
            #expect(await waiting.value == "plugin_stopped")
            #expect(hostile.plugins.quarantine.isEmpty && plugin.status.counts.deaths == 0)
            #expect(await plugin.word("good") == "plugin_stopped")
        }

        @Test("A prepared reload that is not taken leaves no process")
        func dropped() async throws {
            let entry = try HostilePlugins.entry()
            _ = try await hostile.use(entry)
            var changed = entry
            changed.limits.queue = 7
            let before = Self.children()
            var exchange: (@Sendable () -> Void)? = try await hostile.plugins.prepare([changed])
            let started = Self.children().subtracting(before)
            #expect(started.count == 1)
            _ = exchange.take()
            exchange = nil
            #expect(await eventually { Self.children().isDisjoint(with: started) })
            await hostile.plugins.stop()
            #expect(await eventually { Self.children().isDisjoint(with: before) })
        }

        @Test("A plugin that is disabled answers UNAVAILABLE, also after a restart of the daemon, until it is enabled")
        func disabled() async throws {
            let entry = try HostilePlugins.entry()
            let plugin = try await hostile.use(entry)
            hostile.host.hold()
            let late = Task { await plugin.word("find") }
            #expect(await eventually { plugin.status.processes.first?.inFlight == 1 })
            let disabling = Task { [hostile] in try await hostile.plugins.disable("hostile") }
            #expect(await eventually { plugin.status.state == .disabled })
            hostile.host.release()
            #expect(await late.value == "accepted")
            try await disabling.value
            #expect(plugin.status.state == .disabled && plugin.status.processes.isEmpty && plugin.status.counts.deaths == 0)
            #expect(await plugin.word("good") == "plugin_disabled")
            await hostile.plugins.stop()

            let restarted = HostilePlugins(folder: hostile.folder)
            let again = try await restarted.use(entry)
            #expect(again.status.state == .disabled && again.status.counts.starts == 0)
            try await restarted.plugins.enable("hostile")
            #expect(await again.word("good") == "accepted")
            await #expect(throws: PluginSwitchError.unknown("other")) { try await restarted.plugins.enable("other") }
            await #expect(throws: PluginSwitchError.unknown("other")) { try await restarted.plugins.disable("other") }
            await restarted.plugins.stop()
        }

        @Test("Changes of readiness are told")
        func changes() async throws {
            let states = Mutex<[PluginStatus.State]>([])
            hostile.plugins.onChange = { plugin in states.withLock { $0.append(plugin.status.state) } }
            let plugin = try await hostile.use(try HostilePlugins.entry())
            #expect(states.withLock { $0.last } == .ready)
            _ = await plugin.word("crash")
            #expect(await eventually { states.withLock { $0.count >= 3 && $0.last == .ready } })
            #expect(states.withLock { $0.contains { $0 != .ready } })
            await hostile.plugins.stop()
        }

        @Test("A plugin that observes gets each verdict of its apps, and is told how many were dropped")
        func observes() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry { $0.observes = true })
            let other = try #require(AppID("other"))
            plugin.observe([Self.verdict(), Self.verdict(app: other), Self.verdict()])
            #expect(await eventually { hostile.host.lines.contains("observed 2, dropped 0") })
            plugin.observe([Self.verdict(caller: "late")])
            plugin.observe((0..<2000).map { _ in Self.verdict() })
            #expect(await eventually { plugin.status.counts.dropped >= 900 })
            let dropped = plugin.status.counts.dropped
            #expect((2001 - 1024 - 64...2001 - 1024).contains(Int(dropped)))
            #expect(await eventually { hostile.host.lines.contains("observed 64, dropped \(dropped)") })
            await hostile.plugins.stop()
        }

        static func verdict(app: AppID = HostilePlugins.shop, caller: String = "caller") -> GivenVerdict {
            GivenVerdict(
                requestID: [UInt8](repeating: 1, count: 16), app: app, caller: caller, purpose: .assert,
                formats: [HostilePlugins.format], rejection: nil, assurance: .software, device: nil, policyDigest: [],
                simulated: false, repeated: false, decidedAt: Timestamp(unixMilliseconds: 1_800_000_000_000))
        }

        /// The numbers of this process's children.
        static func children() -> Set<String> {
            let path = "/proc/self/task"
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            let children = threads.flatMap { thread -> [Substring] in
                let text = try? String(contentsOfFile: "\(path)/\(thread)/children", encoding: .utf8)
                return text?.split(separator: " ") ?? []
            }
            return Set(children.map { String($0) })
        }
    }
}
