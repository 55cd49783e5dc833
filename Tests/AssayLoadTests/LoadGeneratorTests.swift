import Foundation
import Synchronization
import Testing

@testable import AssayLoad

@Suite("Load generator", .timeLimit(.minutes(30)))
struct LoadGeneratorTests {
    /// - Parameter count: calls, over a second unless the rate is another one.
    private func plan(_ rate: Double, for seconds: Double = 1, warmUp: Duration = .zero, inFlight: Int = 10_000) -> LoadPlan {
        LoadPlan(rate: rate, duration: .seconds(seconds), warmUp: warmUp, inFlight: inFlight)
    }

    @Test("A server that stalls for a second is seen by all calls that were intended meanwhile")
    func stall() async throws {
        let first = Mutex<ContinuousClock.Instant?>(nil)
        // Of 3 s the second one, counted from the first call: what comes meanwhile is answered at its end.
        let server = StandIn { _ in
            let now = ContinuousClock.now
            let begin = first.withLock { first in
                first = first ?? now
                return first ?? now
            }
            let end = begin + .seconds(2)
            if begin + .seconds(1) <= now, now < end { try? await Task.sleep(until: end, clock: .continuous) }
            return .good
        }
        let report = await LoadGenerator(plan(200, for: 3), [(server, 1)]).run()
        let operation = try #require(report.operations.first)
        #expect(report.scheduled == 600 && report.sent == 600 && report.expected == 600)
        // A third of the calls waits, for half a second in the mean. Where calls follow answers, one of 400 would have waited.
        #expect(operation.latency.value(at: 99) >= .milliseconds(900), "\(operation.latency.value(at: 99))")
        #expect(operation.latency.value(at: 87) >= .milliseconds(450), "\(operation.latency.value(at: 87))")
    }

    @Test("A call that is sent late counts from its intended time, and as late")
    func late() async throws {
        // The generator itself is held up for half a second at its 50th call.
        let server = StandIn(isReady: { number in
            if number == 50 { Thread.sleep(forTimeInterval: 0.5) }
            return true
        })
        let report = await LoadGenerator(plan(100), [(server, 1)]).run()
        let operation = try #require(report.operations.first)
        #expect(report.scheduled == 100 && report.sent == 100, "nothing is left out")
        #expect(report.late >= 45, "\(report.late)")
        #expect(report.sendDelay.max >= .milliseconds(490))
        // Calls 51 to 96 were intended while it was held up: the first of them waited for the whole time.
        #expect(operation.latency.value(at: 98) >= .milliseconds(450), "\(operation.latency.value(at: 98))")
        #expect(operation.serviceTime.value(at: 50) < operation.latency.value(at: 90))
    }

    @Test("Beyond the calls in flight an arrival is not sent, counted, and fails the load")
    func inFlightLimit() async throws {
        let gate = Gate()
        let server = StandIn { _ in
            await gate.wait()
            return .good
        }
        let report = await LoadGenerator(plan(100, inFlight: 5), [(server, 1)]).run(every: .milliseconds(20)) { progress in
            if progress.notSent == 95 { gate.open() }
        }
        let operation = try #require(report.operations.first)
        #expect(report.scheduled == 100 && report.sent == 5 && server.most == 5)
        #expect(operation.notSent == [.inFlightLimit: 95])
        #expect(operation.latency.max >= .milliseconds(900), "the first call waited for all others")
        #expect(LoadExpectations(failedShare: 0.95).failures(of: report).isEmpty)
        let failures = LoadExpectations(failedShare: 0.94).failures(of: report)
        #expect(failures.count == 1 && failures[0].hasPrefix("95 of 100 calls (95 %)"), "\(failures)")
    }

    @Test("An arrival for which no device is ready is counted, and gives its place back")
    func notReady() async throws {
        let server = StandIn(isReady: { $0 % 4 != 0 })
        // More than are ready, in case that all are sent at once.
        let report = await LoadGenerator(plan(100, inFlight: 90), [(server, 1)]).run()
        #expect(report.operations.first?.notSent == [.noDeviceReady: 25])
        #expect(report.sent == 75 && report.failedShare == 0.25)
    }

    @Test("Operations get their shares, and their answers are counted apart")
    func mix() async throws {
        let answers: [CallAnswer] = [.good, .rejected, .refused, .good]
        let (one, other) = (StandIn("one"), StandIn("other") { answers[$0 % 4] })
        let report = await LoadGenerator(plan(100), [(one, 3), (other, 2)]).run()
        #expect(report.operations.map(\.name) == ["one", "other"] && report.operations.map(\.share) == [0.6, 0.4])
        #expect(report.operations.map(\.scheduled) == [60, 40])
        #expect(report.operations[0].answers == ["accepted": 60])
        #expect(
            report.operations[1].answers
                == ["accepted": 20, "rejected: bad_signature": 10, "UNAVAILABLE (connect_failed)": 10])
        #expect(report.operations[1].unexpected == 20 && report.expected == 80)
        #expect(report.operations[1].latency.count == 30, "an error that comes at once has no latency that counts")
        #expect(report.achievedRate > 0 && report.achievedRate <= 80.5)
    }

    @Test("What is sent before is not measured, and what goes wrong with it is told")
    func warmUp() async throws {
        let server = StandIn { $0 < 20 ? .rejected : .good }
        let report = await LoadGenerator(plan(100, warmUp: .milliseconds(500)), [(server, 1)]).run()
        #expect(report.scheduled == 100 && report.expected == 100)
        #expect(report.warmUp.scheduled == 50 && report.warmUp.sent == 50 && report.warmUp.notSent == 0)
        #expect(report.warmUp.unexpected == ["rejected: bad_signature": 20])
        #expect(LoadExpectations().failures(of: report).isEmpty)
    }

    @Test("A load that is stopped sends no more, waits for what is in flight, and is not as expected")
    func stop() async throws {
        let gate = Gate()
        let server = StandIn { _ in
            await gate.wait()
            return .good
        }
        let generator = LoadGenerator(plan(100, for: 3600), [(server, 1)])
        let report = await generator.run(every: .milliseconds(10)) { progress in
            guard progress.inFlight >= 10 else { return }
            generator.stop()
            gate.open()
        }
        #expect(report.isInterrupted && report.sent >= 10 && report.sent == report.scheduled)
        #expect(LoadExpectations().failures(of: report) == ["it was interrupted"])
    }

    @Test("What is kept ready is kept so until the last call has ended")
    func keepReady() async throws {
        let operation = Kept()
        let report = await LoadGenerator(plan(50), [(operation, 1)]).run()
        #expect(report.expected == 50 && operation.hasEnded)
    }

    /// Its calls go well only while it is kept ready.
    private final class Kept: LoadOperation {
        let name = "kept"
        private let state = Mutex(false)
        private let ended = Mutex(false)
        var hasEnded: Bool { ended.withLock { $0 } }

        func next() -> LoadCall? {
            { [self] in
                while !state.withLock({ $0 }), !hasEnded { await Task.yield() }
                return hasEnded ? .refused : .good
            }
        }

        func keepReady() async {
            state.withLock { $0 = true }
            try? await Task.sleep(for: .seconds(600))
            ended.withLock { $0 = true }
        }
    }
}
