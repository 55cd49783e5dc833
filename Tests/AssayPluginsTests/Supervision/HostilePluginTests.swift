import AssayCore
import AssayTesting
import Foundation
import Testing

@testable import AssayPlugins

extension ProcessTests {
    @Suite("Hostile plugins")
    struct HostilePluginTests {
        let hostile = HostilePlugins()

        func process(_ plugin: PluginSupervisor) -> Int32 { plugin.status.processes.first?.id ?? -1 }

        @Test("A plugin that behaves accepts, rejects, and its status says what it is")
        func behaves() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            #expect(await plugin.word("good") == "accepted")
            #expect(await plugin.word("good", format: HostilePlugins.located) == "accepted")
            #expect(await plugin.word("bad") == "malformed")
            // A call is counted when its answer is on its way.
            #expect(await eventually { plugin.status.counts.calls == 4 && plugin.status.counts.rejections == 1 })
            let status = plugin.status
            #expect(status.state == .ready && status.problem == nil && plugin.outage == nil)
            #expect(
                status.description?.version == "1.0.0" && status.processes.count == 1 && status.processes.first?.inFlight == 0)
            #expect(status.report?.steps.contains { $0.name == "seccomp" } == true)
            #expect(status.counts.starts == 1)
            await hostile.plugins.stop()
            #expect(plugin.status.state == .stopped && plugin.status.processes.isEmpty && plugin.status.counts.deaths == 0)
        }

        @Test(
            "A plugin that harms itself over evidence yields UNAVAILABLE, is gone, is started again, and refuses that evidence at the third try",
            arguments: ["crash", "exit", "garbage", "huge", "close", "eat", "host"])
        func dies(_ body: String) async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry {
                    $0.limits.grace = .milliseconds(500)
                    $0.sandbox.limits.addressSpace = 256 << 20
                })
            let first = process(plugin)
            #expect(await plugin.word("good") == "accepted")
            #expect(await plugin.word(body) == "plugin_ended")
            #expect(await eventually { !isAlive(first) })
            #expect(await plugin.word("good") == "accepted")
            let counts = plugin.status.counts
            #expect(counts.deaths == 1 && counts.starts == 2 && counts.unavailable == 1 && counts.quarantined == 0)

            let second = await plugin.word(body)
            #expect(second == "plugin_quarantined")
            #expect(plugin.status.counts.quarantined == 1 && plugin.status.counts.deaths == 2)
            #expect(await plugin.word("good") == "accepted")
            let starts = plugin.status.counts.starts
            #expect(await plugin.word(body) == "plugin_quarantined" && plugin.status.counts.starts == starts)
            let listed = hostile.plugins.quarantine.list(of: "hostile")
            #expect(listed.count == 1)
            #expect(try hostile.plugins.quarantine.read(#require(listed.first).digest)?.body == Array(body.utf8))
            await hostile.plugins.stop()
        }

        @Test(
            "A plugin that starts threads without end gets few of them, is killed and started again, and another plugin works on"
        )
        func threads() async throws {
            var other = try HostilePlugins.entry()
            other.id = "other"
            let entry = try HostilePlugins.entry { $0.sandbox.limits.threads = 32 }
            try await hostile.use([entry, other])
            let plugin = try #require(hostile.plugins["hostile"])
            let neighbour = try #require(hostile.plugins["other"])
            let first = process(plugin)
            // The answer may come before the end.
            let word = await plugin.word("threads 20000")
            #expect(["accepted", "plugin_ended"].contains(word), "\(word)")
            #expect(await neighbour.word("good") == "accepted")
            #expect(await eventually { !isAlive(first) && plugin.status.counts.deaths == 1 })
            let line = try #require(plugin.status.lastLines.first { $0.hasPrefix("started ") })
            // The kernel counts what the user has: also what other tests start and end at the same time.
            let started = try #require(Int(line.split(separator: " ")[1]))
            #expect(started >= 32 && started < 4000, "\(line)")
            #expect(
                plugin.status.lastLines.contains { $0.hasSuffix("limits.threads allows 32: it is killed") }, "\(plugin.status)")
            #expect(await plugin.word("good") == "accepted")
            #expect(await neighbour.word("good") == "accepted" && neighbour.status.counts.deaths == 0)
            await hostile.plugins.stop()
        }

        @Test(
            "A plugin that sends frames without reading what answers them is killed for it, says so, and costs no memory",
            arguments: ["frames ping", "host"])
        func readsNothing(_ body: String) async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.limits.deadline, $0.limits.grace) = (.seconds(60), .seconds(60)) })
            let first = process(plugin)
            #expect(await plugin.word("good") == "accepted")
            let before = residentBytes()
            #expect(await plugin.word(body) == "plugin_ended")
            #expect(residentBytes() - before < 64 << 20)
            #expect(!isAlive(first))
            #expect(plugin.kills.first { $0.reason == "answers_not_read" }?.count == 1)
            #expect(
                hostile.log.all.contains {
                    $0.contains("a process of the plugin is killed") && $0.contains("(answers_not_read)")
                })
            #expect(hostile.log.all.contains { $0.contains("was ended by the signal SIGKILL: it sent pings or calls") })

            let again = await plugin.word(body)
            #expect(again == "plugin_quarantined", "\(plugin.status)")
            #expect(plugin.kills.first { $0.reason == "answers_not_read" }?.count == 2)
            #expect(hostile.log.all.contains { $0.contains("did not read the answers to its pings or calls, and was killed") })
            #expect(await plugin.word("good") == "accepted")
            await hostile.plugins.stop()
        }

        @Test(
            "A flood of frames that no answer follows costs no memory, and ends with the call's deadline",
            arguments: ["pong", "reply", "item", "end", "cancel", "unknown", "go_away"])
        func floods(_ kind: String) async throws {
            var grown: [Int] = []
            // The memory is that of the whole process: what another test takes at the same time, it does not take at each attempt.
            while grown.last.map({ $0 >= 64 << 20 }) ?? true, grown.count < 3 {
                let hostile = HostilePlugins()
                let plugin = try await hostile.use(
                    try HostilePlugins.entry { ($0.limits.deadline, $0.limits.grace) = (.seconds(1), .milliseconds(200)) })
                let first = process(plugin)
                // Within a second: a slow machine may take more.
                #expect(await eventually { await plugin.word("good") == "accepted" })
                let before = residentBytes()
                #expect(["plugin_timeout", "plugin_ended"].contains(await plugin.word("frames \(kind)")))
                #expect(await eventually { !isAlive(first) })
                grown.append(residentBytes() - before)
                #expect(await eventually { await plugin.word("good") == "accepted" })
                await hostile.plugins.stop()
            }
            #expect(try #require(grown.last) < 64 << 20, "\(grown)")
        }

        @Test("A plugin that sends pings without reading before it has said what it is is not ready, and says why")
        func pingsAtStart() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry(["pings"]) { $0.restart.firstDelay = .seconds(60) })
            #expect(
                await eventually { plugin.status.problem?.contains("answers_not_read") == true },
                "\(plugin.status.problem ?? "")")
            await hostile.plugins.stop()
        }

        @Test(
            "A call that is never answered is answered UNAVAILABLE at the deadline, its process killed after the grace, and it alone is blamed"
        )
        func hangs() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry {
                    ($0.limits.deadline, $0.limits.grace, $0.limits.concurrency) = (.seconds(2), .seconds(5), 1)
                })
            let first = process(plugin)
            let time = await ContinuousClock().measure { #expect(await plugin.word("hang") == "plugin_timeout") }
            // Answered at the deadline, and not when the process is killed.
            #expect(time >= .seconds(2) && isAlive(first))
            #expect(await eventually { !isAlive(first) && plugin.status.counts.deaths == 1 && plugin.status.state == .ready })
            #expect(await plugin.word("good") == "accepted")
            #expect(await plugin.word("hang") == "plugin_timeout")
            #expect(await eventually { plugin.status.counts.quarantined == 1 })
            #expect(await plugin.word("hang") == "plugin_quarantined")
            #expect(plugin.status.counts.timeouts == 2)
            await hostile.plugins.stop()
        }

        @Test("A late answer within the grace is dropped, and costs no process")
        func late() async throws {
            let plugin = try await hostile.use(
                try HostilePlugins.entry { ($0.limits.deadline, $0.limits.grace) = (.milliseconds(200), .seconds(5)) })
            let first = process(plugin)
            #expect(await plugin.word("late 400") == "plugin_timeout")
            #expect(await eventually { plugin.status.processes.first?.inFlight == 0 })
            // Within 200 ms: a slow machine may take more.
            #expect(await eventually { await plugin.word("good") == "accepted" })
            #expect(process(plugin) == first && plugin.status.counts.deaths == 0 && hostile.plugins.quarantine.isEmpty)
            await hostile.plugins.stop()
        }

        @Test("A process that another one ended blames no evidence")
        func killed() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            #expect(await plugin.word("kill") == "plugin_ended")
            #expect(hostile.plugins.quarantine.isEmpty && plugin.status.counts.deaths == 1)
            await hostile.plugins.stop()
        }

        @Test(
            "Floods of output, answers to calls that were not made, forks, and sockets change nothing for others",
            arguments: [
                ("flood", "accepted"), ("others", "accepted"), ("fork", "malformed"), ("socket", "malformed"),
            ])
        func lives(_ body: String, _ word: String) async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            let (first, begin) = (process(plugin), ContinuousClock.now)
            #expect(await plugin.word(body) == word)
            #expect(await plugin.word("good") == "accepted")
            #expect(process(plugin) == first && plugin.status.counts.deaths == 0)
            await hostile.plugins.stop()
            let seconds = Int((ContinuousClock.now - begin).components.seconds) + 3
            #expect(hostile.host.lines.count < seconds * LineBudget.linesPerSecond)
        }

        @Test("An appraisal with an effect that does not fit is UNAVAILABLE, and counted as invalid")
        func invalid() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry())
            #expect(await plugin.word("register") == "plugin_invalid_answer")
            #expect(plugin.status.counts.invalid == 1 && plugin.status.counts.deaths == 0)
            await hostile.plugins.stop()
        }

        @Test(
            "A plugin that lies about itself is refused, with what it said",
            arguments: [
                ("name", "the plugin says that it is 'another-plugin'"),
                ("format", "formats that the plugin does not appraise: test.hostile"),
                ("format", "; correct \"formats\" in plugins.d/hostile.yaml"),
                ("claims", "10000 claims of 'test.hostile', the limit is 64"),
            ])
        func lies(_ how: String, _ sentence: String) async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry([how]))
            let status = plugin.status
            #expect(status.state == .refused && status.problem?.contains(sentence) == true, "\(status.problem ?? "")")
            #expect(await plugin.word("good") == "plugin_refused")
            #expect(status.counts.starts == 1 && status.processes.isEmpty)
            await hostile.plugins.stop()
        }

        @Test("A demand that the launcher cannot meet is refused with the step, and not tried again before it is enabled")
        func demand() async throws {
            let plugin = try await hostile.use(try HostilePlugins.entry { $0.sandbox.readable.append("/nowhere/at/all") })
            #expect(
                plugin.status.problem?.contains("the launcher's step files failed") == true && plugin.status.state == .refused)
            #expect(await plugin.word("good") == "plugin_refused" && plugin.status.counts.starts == 1)
            try await hostile.plugins.enable("hostile")
            #expect(await eventually { plugin.status.counts.starts == 2 && plugin.status.state == .refused })
            await hostile.plugins.stop()
        }

        @Test("What a plugin says of its health is in its status")
        func health() async throws {
            let hostile = HostilePlugins { $0.times.idle = .milliseconds(50) }
            let plugin = try await hostile.use(try HostilePlugins.entry(["ill"]))
            #expect(await eventually { plugin.status.health == "its provider does not answer" })
            #expect(plugin.status.state == .ready)
            await hostile.plugins.stop()
        }

        @Test(
            "A plugin that does not start is tried again, and its last lines are shown", arguments: ["exit", "crash", "mute"])
        func doesNotStart(_ how: String) async throws {
            // One that says nothing is given up; the others end by themselves.
            let hostile = HostilePlugins { if how == "mute" { $0.times.start = .milliseconds(500) } }
            let plugin = try await hostile.use(
                try HostilePlugins.entry([how]) {
                    $0.restart.deaths = 3
                    $0.limits.deadline = .milliseconds(200)
                })
            #expect(await eventually { plugin.status.state == .broken })
            let status = plugin.status
            #expect(status.counts.starts == 3 && status.counts.deaths == 3)
            if how == "exit" { #expect(status.lastLines == ["it does not want to start"]) }
            #expect(
                status.problem?.contains(how == "exit" ? "before it was ready" : "the plugin") == true,
                "\(status.problem ?? "")")
            #expect(await plugin.word("good") == "plugin_broken")
            await hostile.plugins.stop()
        }
    }
}
