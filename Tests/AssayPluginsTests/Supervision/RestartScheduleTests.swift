import Testing

@testable import AssayPlugins

@Suite("Restarts")
struct RestartScheduleTests {
    let start = ContinuousClock.now

    @Test("The delay doubles with each death up to the longest, and varies by the jitter")
    func backOff() {
        var rules = PluginEntry.Restart()
        rules.deaths = 100
        var schedule = RestartSchedule(rules)
        var delays: [Duration] = []
        for _ in 0..<10 {
            schedule.died(at: start, random: 0)
            delays.append((schedule.notBefore ?? start) - start)
        }
        #expect(delays.prefix(4) == [.milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1600)])
        #expect(delays.last == .seconds(30))
        for random in [-1.0, 1.0] {
            var schedule = RestartSchedule(rules)
            schedule.died(at: start, random: random)
            #expect(schedule.notBefore == start + .milliseconds(200) * (1 + 0.2 * random))
        }
    }

    @Test("After 60 s without a death the delay is the first again")
    func health() {
        var schedule = RestartSchedule(PluginEntry.Restart())
        schedule.died(at: start, random: 0)
        schedule.died(at: start + .seconds(1), random: 0)
        schedule.died(at: start + .seconds(61), random: 0)
        #expect(schedule.notBefore == start + .seconds(61) + .milliseconds(200))
    }

    @Test("Five deaths within 60 s open the breaker for 60 s, and four do not")
    func breaker() {
        var schedule = RestartSchedule(PluginEntry.Restart())
        for second in 0..<4 { schedule.died(at: start + .seconds(second), random: 0) }
        #expect(schedule.breaker == .closed)
        schedule.died(at: start + .seconds(4), random: 0)
        #expect(schedule.breaker == .open(until: start + .seconds(64)))
    }

    @Test("Five deaths of which the first is older than the window leave the breaker closed")
    func window() {
        var schedule = RestartSchedule(PluginEntry.Restart())
        for second in [0, 20, 40, 50, 60] { schedule.died(at: start + .seconds(second), random: 0) }
        #expect(schedule.breaker == .closed)
    }

    @Test("A breaker that is half open opens again at one death, and closes at one answer")
    func halfOpen() {
        var rules = PluginEntry.Restart()
        rules.deaths = 2
        var schedule = RestartSchedule(rules)
        let wasClosed = !schedule.answered()
        #expect(wasClosed)
        schedule.died(at: start, random: 0)
        schedule.died(at: start, random: 0)
        schedule.halfOpen()
        #expect(schedule.breaker == .halfOpen && schedule.notBefore == nil)
        schedule.died(at: start + .seconds(60), random: 0)
        #expect(schedule.breaker == .open(until: start + .seconds(120)))
        schedule.halfOpen()
        let closes = schedule.answered()
        #expect(closes && schedule.breaker == .closed)
        schedule.died(at: start + .seconds(130), random: 0)
        #expect(schedule.breaker == .closed)
    }
}
