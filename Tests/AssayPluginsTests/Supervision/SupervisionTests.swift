import AssayCore
import AssayTesting
import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Supervision")
    struct SupervisionTests {
        let hostile = HostilePlugins()

        @Test(
            "64 calls with one that crashes: all good ones are answered at the second try at the latest, and the bad one alone is quarantined"
        )
        func blame() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            let words = await withTaskGroup(of: (String, String, String).self) { group in
                for index in 0..<64 {
                    let body = index == 31 ? "crash" : "good \(index)"
                    group.addTask {
                        let first = await plugin.word(body)
                        return (body, first, first == "accepted" ? first : await plugin.word(body))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(words.filter { $0.0 != "crash" && $0.2 != "accepted" }.isEmpty)
            #expect(words.first { $0.0 == "crash" }?.1 == "plugin_ended")
            #expect(words.first { $0.0 == "crash" }?.2 == "plugin_quarantined")
            #expect(hostile.plugins.quarantine.list().count == 1)
            #expect(await plugin.word("good 3") == "accepted" && plugin.status.state == .ready)
            await hostile.plugins.stop()
        }

        @Test("A body that crashes Locate is quarantined as one that crashes Appraise is")
        func locate() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            let format = HostilePlugins.located
            #expect(await plugin.word("locate-crash", format: format) == "plugin_ended")
            #expect(await plugin.word("locate-crash", format: format) == "plugin_quarantined")
            // The steps apart, as the pipeline makes them.
            #expect(await plugin.word("crash", format: format) == "plugin_ended")
            let request = HostilePlugins.request("crash", format: format)
            #expect(try await plugin.locate(request) != .none)
            guard case .refused(let rejection) = try await plugin.appraise(request) else {
                Issue.record("not refused")
                return
            }
            #expect(rejection.code.rawValue == "plugin_quarantined")
            guard case .refused = try await plugin.locate(request) else {
                Issue.record("located")
                return
            }
            await hostile.plugins.stop()
        }

        @Test(
            "Evidence that waits behind the same evidence is not given to the next process: it is judged alone, and then refused"
        )
        func waitingSuspects() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry { $0.limits.concurrency = 1 })
            hostile.host.hold()
            let late = Task { await plugin.word("find") }
            #expect(await eventually { plugin.status.processes.first?.inFlight == 1 })
            let calls = (0..<8).map { _ in Task { await plugin.word("crash") } }
            #expect(await eventually { plugin.status.queued == 8 })
            hostile.host.release()
            var words: [String] = []
            for call in calls { words.append(await call.value) }
            #expect(words.filter { $0 == "plugin_ended" }.count == 1 && words.filter { $0 == "plugin_quarantined" }.count >= 1)
            #expect(await late.value == "accepted")
            #expect(hostile.plugins.quarantine.list().count == 1 && plugin.status.counts.quarantined == 1)
            await hostile.plugins.stop()
        }

        @Test("Evidence in quarantine is refused after a restart of the daemon without a call")
        func quarantineOutlasts() async throws {
            let entry = try HostilePlugins.entry()
            let plugin = try await hostile.use(entry)
            for _ in 0..<2 { _ = await plugin.word("crash") }
            await hostile.plugins.stop()
            let restarted = HostilePlugins(folder: hostile.folder)
            let again = try await restarted.use(entry)
            #expect(await again.word("crash") == "plugin_quarantined")
            #expect(again.status.counts.calls == 0 && again.status.counts.rejections == 1)
            await restarted.plugins.stop()
        }

        @Test("Evidence that ends one entry's processes is given to another entry of the same plugin")
        func otherEntries() async throws {
            var next = try HostilePlugins.entry()
            (next.id, next.role) = ("hostile-next", .shadow)
            try await hostile.use([try HostilePlugins.entry(), next])
            let (plugin, shadow) = (try #require(hostile.plugins["hostile"]), try #require(hostile.plugins["hostile-next"]))
            for _ in 0..<2 { _ = await shadow.word("crash") }
            #expect(hostile.plugins.quarantine.list(of: "hostile-next").count == 1)
            #expect(await plugin.word("crash") == "plugin_ended")
            await hostile.plugins.stop()
        }

        @Test("While one plugin hangs, floods and dies, another answers each call")
        func others() async throws {
            var good = try HostilePlugins.entry()
            good.id = "good"
            let bad = try HostilePlugins.entry {
                ($0.limits.deadline, $0.limits.grace) = (.milliseconds(100), .milliseconds(100))
            }
            try await hostile.use([bad, good])
            let (plugin, other) = (try #require(hostile.plugins["hostile"]), try #require(hostile.plugins["good"]))
            let attack = Task {
                var index = 0
                while !Task.isCancelled {
                    for body in ["crash", "flood", "host", "garbage", "huge", "hang"] {
                        _ = await plugin.word("\(body) \(index)")
                    }
                    index += 1
                }
            }
            var calls = 0
            while plugin.status.counts.deaths < 10 || calls <= 10 {
                calls += 1
                // Within its own deadline.
                #expect(await other.word("good") == "accepted")
            }
            attack.cancel()
            await attack.value
            #expect(other.status.counts.deaths == 0 && other.status.counts.unavailable == 0)
            await hostile.plugins.stop()
        }

        @Test("A registry that does not answer neither clears nor convicts evidence")
        func registry() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            let format = HostilePlugins.located
            #expect(await plugin.word("crash", format: format) == "plugin_ended")
            hostile.host.state.withLock { $0.isDown = true }
            #expect(await plugin.word("crash", format: format) == "registry_unavailable")
            #expect(await plugin.word("good", format: format) == "registry_unavailable")
            #expect(!hostile.plugins.quarantine.isEmpty && plugin.status.counts.deaths == 1)
            hostile.host.state.withLock { $0.isDown = false }
            #expect(await plugin.word("crash", format: format) == "plugin_quarantined")
            #expect(await plugin.word("good", format: format) == "accepted")
            await hostile.plugins.stop()
        }

        @Test("Evidence that is late because the daemon's store is slow is not blamed")
        func slowRegistry() async throws {
            let plugin = try await hostile.use(
                // Long enough that the plugin waits for the registry when it is over, also on a slow machine.
                try HostilePlugins.entry { ($0.limits.deadline, $0.limits.grace) = (.seconds(2), .milliseconds(500)) })
            hostile.host.hold()
            #expect(await plugin.word("find") == "plugin_timeout")
            #expect(await eventually { plugin.status.counts.deaths == 1 })
            #expect(hostile.plugins.quarantine.isEmpty)
            // Suspected for another reason, it is not convicted either.
            let request = HostilePlugins.request("find")
            hostile.plugins.quarantine.suspect([
                Suspicion("hostile", request.app, request.format, request.body, isPreparation: false).digest
            ])
            #expect(await plugin.word("find") == "plugin_timeout")
            #expect(await eventually { plugin.status.counts.deaths == 2 })
            #expect(hostile.plugins.quarantine.list().isEmpty)
            hostile.host.release()
            #expect(await eventually { await plugin.word("find") == "accepted" })
            await hostile.plugins.stop()
        }

        @Test("A request to prepare that ends two processes is refused, and evidence with the same body is not")
        func preparation() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            func word(_ body: String) async -> String {
                do throws(PluginUnavailable) {
                    switch try await plugin.prepare(
                        Array(body.utf8), format: HostilePlugins.located, app: HostilePlugins.shop,
                        now: Timestamp(unixMilliseconds: 1_800_000_000_000))
                    {
                    case .success(let preparation): return String(decoding: preparation.body, as: UTF8.self)
                    case .failure(let rejection): return rejection.code.rawValue
                    }
                } catch { return error.reason.rawValue }
            }
            #expect(await word("good") == "good")
            #expect(await word("bad") == "malformed")
            #expect(await word("exit") == "plugin_ended")
            #expect(await word("exit") == "plugin_quarantined")
            #expect(await plugin.word("exit", format: HostilePlugins.located) == "plugin_ended")
            await hostile.plugins.stop()
        }

        @Test("Evidence that is released is judged again")
        func release() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            for _ in 0..<2 { _ = await plugin.word("crash") }
            let digest = try #require(hostile.plugins.quarantine.list().first).digest
            #expect(hostile.plugins.quarantine.release(digest))
            #expect(await plugin.word("crash") == "plugin_ended")
            await hostile.plugins.stop()
        }

        @Test("Deaths in a row open the breaker, calls are refused at once, and enabling closes it")
        func breaker() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry { $0.restart.deaths = 3 })
            for index in 0..<3 { #expect(await plugin.word("crash \(index)") == "plugin_ended") }
            #expect(plugin.status.state == .broken && plugin.outage?.contains("ended too often") == true)
            let time = await ContinuousClock().measure { #expect(await plugin.word("good") == "plugin_broken") }
            // And not at the deadline of 60 s.
            #expect(time < .seconds(30))
            // Suspects are no way around it.
            #expect(await plugin.word("crash 0") == "plugin_broken")
            try await hostile.plugins.enable("hostile")
            #expect(await plugin.word("good") == "accepted" && plugin.outage == nil)
            await hostile.plugins.stop()
        }

        @Test("After its time the breaker lets one call pass: an answer closes it, a death opens it again")
        func halfOpen() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.restart.deaths, $0.restart.openFor) = (2, .seconds(4)) })
            for index in 0..<2 { _ = await plugin.word("crash \(index)") }
            #expect(plugin.status.state == .broken)
            #expect(await eventually { plugin.status.state == .ready })
            #expect(await plugin.word("crash 2") == "plugin_ended")
            #expect(plugin.status.state == .broken)
            #expect(await eventually { plugin.status.state == .ready })
            let words = await withTaskGroup(of: String.self) { group in
                for index in 0..<8 { group.addTask { await plugin.word("good \(index)") } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(words == ["accepted"])
            #expect(await plugin.word("crash 3") == "plugin_ended" && plugin.status.state != .broken)
            await hostile.plugins.stop()
        }

        @Test(
            "Calls above concurrency wait, those above the queue are refused as busy, and a caller that goes away keeps the place taken"
        )
        func backPressure() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.limits.concurrency, $0.limits.queue) = (2, 3) })
            hostile.host.hold()
            let calls = (0..<5).map { index in Task { await plugin.word("find \(index)") } }
            #expect(await eventually { plugin.status.queued == 3 && plugin.status.processes.first?.inFlight == 2 })
            #expect(await plugin.word("good") == "plugin_busy")
            calls[0].cancel()
            calls[1].cancel()
            calls[2].cancel()
            calls[3].cancel()
            calls[4].cancel()
            var words: [String] = []
            for call in calls { words.append(await call.value) }
            #expect(words == Array(repeating: "cancelled", count: 5))
            #expect(plugin.status.processes.first?.inFlight == 2 && plugin.status.queued == 0)
            hostile.host.release()
            #expect(await plugin.word("good") == "accepted")
            #expect(await eventually { plugin.status.processes.first?.inFlight == 0 })
            #expect(plugin.status.counts.deaths == 0)
            await hostile.plugins.stop()
        }

        @Test("A queue is bounded by bytes too")
        func bytes() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.limits.concurrency, $0.limits.queueBytes) = (1, 1000) })
            hostile.host.hold()
            let first = Task { await plugin.word("find") }
            #expect(await eventually { plugin.status.processes.first?.inFlight == 1 })
            #expect(await plugin.word("good" + String(repeating: " ", count: 1000)) == "plugin_busy")
            let second = Task { await plugin.word("good") }
            #expect(await eventually { plugin.status.queued == 1 })
            hostile.host.release()
            #expect(await second.value == "accepted")
            #expect(await first.value == "accepted")
            await hostile.plugins.stop()
        }

        @Test("Large evidence of many calls is bounded by bytes in flight, and all of it is judged")
        func large() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            let padding = String(repeating: "x", count: 500_000)
            let words = await withTaskGroup(of: String.self) { group in
                for index in 0..<40 { group.addTask { await plugin.word("good \(index) \(padding)") } }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(words == ["accepted"])
            await hostile.plugins.stop()
        }

        @Test("A call that finds no process is answered at its deadline")
        func notReady() async throws {
            let entry = try HostilePlugins.entry(["mute"]) { $0.limits.deadline = .milliseconds(200) }
            // Not taken into use, which would wait for its start.
            let environment = PluginEnvironment(
                launcher: BuiltPlugin.launcher, user: BuiltPlugin.sandbox.user, stateFolder: hostile.folder.path(),
                daemonVersion: "test", host: { _ in hostile.host },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let plugin = PluginSupervisor(
                entry, environment, hostile.plugins.quarantine, isEnabled: true, onChange: { _ in })
            plugin.start()
            let time = await ContinuousClock().measure { #expect(await plugin.word("good") == "plugin_not_ready") }
            #expect(time >= .milliseconds(200))
            // The start was not waited for: it goes on.
            #expect(plugin.status.state == .starting && plugin.status.counts.deaths == 0)
            await plugin.stop()
        }

        @Test("Several processes share the calls, and the death of one leaves the others' calls alone")
        func processes() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.limits.processes, $0.limits.concurrency) = (3, 1) })
            #expect(await eventually { plugin.status.processes.count == 3 })
            hostile.host.hold()
            let late = (0..<2).map { index in Task { await plugin.word("find \(index)") } }
            #expect(await eventually { plugin.status.processes.filter { $0.inFlight == 1 }.count == 2 })
            #expect(await plugin.word("crash") == "plugin_ended")
            hostile.host.release()
            for call in late { #expect(await call.value == "accepted") }
            #expect(await eventually { plugin.status.processes.count == 3 })
            await hostile.plugins.stop()
        }

        @Test("64 calls race with a kill of the process: each is answered, and the good ones at the second try")
        func races() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            for round in 0..<10 {
                let words = await withTaskGroup(of: String.self) { group in
                    for index in 0..<64 {
                        group.addTask {
                            if index == 32 { plugin.killAll() }
                            let first = await plugin.word("good \(round) \(index)")
                            return first == "plugin_ended" ? await plugin.word("good \(round) \(index)") : first
                        }
                    }
                    return await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(words == ["accepted"])
            }
            #expect(hostile.plugins.quarantine.isEmpty)
            await hostile.plugins.stop()
        }

        @Test("An idle process is pinged and asked for its health, and one that does not answer is killed")
        func idle() async throws {
            let hostile = HostilePlugins { ($0.times.idle, $0.times.pong) = (.seconds(2), .seconds(5)) }
            let plugin = try await hostile.use(try HostilePlugins.entry())
            #expect(
                await eventually {
                    hostile.host.lines.contains("asked for health") && plugin.status.processes.first?.inFlight == 0
                })
            let process = try #require(plugin.status.processes.first).id
            #expect(plugin.status.counts.deaths == 0 && plugin.status.counts.calls == 0)
            // A process that is stopped answers no ping.
            kill(process, SIGSTOP)
            #expect(await eventually { !isAlive(process) })
            #expect(await plugin.word("good") == "accepted")
            #expect(plugin.status.counts.deaths == 1 && hostile.plugins.quarantine.isEmpty)
            #expect(hostile.log.all.contains { $0.contains("is killed: a ping was not answered") })
            await hostile.plugins.stop()
        }

        @Test("A thousand deaths leave neither descriptors nor memory")
        func leaks() async throws {
            func open() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            func resident() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                return Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
            }
            let plugin = try await hostile.use(
                try HostilePlugins.entry {
                    ($0.restart.deaths, $0.restart.longestDelay) = (.max, .milliseconds(1))
                    $0.limits.processes = 8
                })
            func die(_ times: UInt64) async {
                let end = plugin.status.counts.deaths + times
                while plugin.status.counts.deaths < end {
                    #expect(await eventually { plugin.status.processes.count == 8 })
                    plugin.killAll()
                    #expect(await eventually { plugin.status.processes.count < 8 })
                }
                #expect(await eventually { plugin.status.processes.count == 8 })
            }
            await die(200)
            let before = try (open(), resident())
            await die(1000)
            #expect(try await eventually { try open() <= before.0 })
            let grown = try resident() - before.1
            #expect(grown < 4096, "\(grown) pages more after 1000 starts")
            await hostile.plugins.stop()
        }
    }
}

extension PluginSupervisor {
    /// Ends the processes from outside.
    func killAll() { for process in status.processes { Glibc.kill(process.id, SIGKILL) } }
}
