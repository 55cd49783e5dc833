package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// Exchanges the receipts of registered devices for newer ones, in the background, as long as the daemon runs (Apple,
/// "Assessing fraud risk"). What is due stands in the ledger: a daemon that was killed goes on where it was, and at worst asks
/// again what it had asked.
///
/// It has nothing to do until it is given lanes. No request waits for it.
package final class ReceiptExchanger: Service {
    /// How often what is due is looked for, in milliseconds.
    package static let period: Int64 = 60_000
    /// Receipts that are read at a time, and those of them that are under way at a time.
    static let batch = 32
    static let width = 4

    private struct State {
        var lanes: [ReceiptLane] = []
        var breakers: [String: CircuitBreaker] = [:]
        var report = ReceiptReport()
        var random: any RandomNumberGenerator & Sendable
        /// The last problem that was logged, by account.
        var told: [String: String] = [:]
    }

    private let ledger: any Ledger
    private let client: VendorClient
    private let clock: any WallClock
    private let isSettled: @Sendable () -> Bool
    private let logger: Logger
    private let state: Mutex<State>

    /// - Parameter isSettled: false while the clock may be wrong. Nothing is exchanged then: what has expired is never asked about
    ///   again, and by a clock that runs far enough ahead everything has.
    package init(
        ledger: any Ledger, client: VendorClient, clock: any WallClock,
        isSettled: @escaping @Sendable () -> Bool = { true }, logger: Logger,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        (self.ledger, self.client, self.clock, self.isSettled) = (ledger, client, clock, isSettled)
        self.logger = logger
        state = Mutex(State(random: random))
    }

    /// From now on these are the lanes. What stood against the earlier ones is forgotten.
    package func use(_ lanes: [ReceiptLane]) {
        state.withLock { state in
            (state.lanes, state.breakers, state.told) = (lanes, [:], [:])
            state.report.problem = nil
        }
    }

    package var report: ReceiptReport { state.withLock { $0.report } }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.round()
                do { try await Task.sleep(for: .milliseconds(Self.period)) } catch { return }
            }
        }
    }

    /// Exchanges everything that is due now, as far as the service can be asked.
    package func round() async {
        var due = 0
        for lane in state.withLock({ $0.lanes }) where !Task.isCancelled {
            do throws(LedgerError) { due += try await work(lane) } catch {
                note("the ledger does not say what is due: \(error)", lane.account)
            }
        }
        state.withLock { $0.report.due = due }
    }

    /// Returns how many were due at first.
    private func work(_ lane: ReceiptLane) async throws(LedgerError) -> Int {
        var first: Int?
        while !Task.isCancelled {
            let now = clock.now()
            let admitted = state.withLock { $0.breakers[lane.account, default: CircuitBreaker()].admits(at: now) }
            let found = try await ledger.receipts(in: lane.queue, dueAt: now, limit: min(Self.batch, admitted))
            if first == nil { first = found.count }
            guard !found.devices.isEmpty else { break }
            let outcomes = await outcomes(for: found.devices, on: lane)
            try await ledger.keep(outcomes)
            // What came to nothing is still due: the next round goes on.
            guard outcomes.count == found.devices.count else { break }
        }
        return first ?? 0
    }

    /// One for each device, but for those that nothing could be found out about.
    private func outcomes(for devices: [Device], on lane: ReceiptLane) async -> [ReceiptOutcome] {
        await withTaskGroup(of: ReceiptOutcome?.self) { group in
            var waiting = devices[...]
            for _ in 0..<Self.width {
                guard let device = waiting.popFirst() else { break }
                group.addTask { await self.exchange(device, on: lane) }
            }
            var outcomes: [ReceiptOutcome] = []
            while let outcome = await group.next() {
                if let outcome { outcomes.append(outcome) }
                if let device = waiting.popFirst() { group.addTask { await self.exchange(device, on: lane) } }
            }
            return outcomes
        }
    }

    private func exchange(_ device: Device, on lane: ReceiptLane) async -> ReceiptOutcome? {
        let now = clock.now()
        guard isSettled() else { return nil }
        let schedule = ReceiptSchedule(period: lane.period, now: now)
        let stored: ReceiptFacts
        do throws(Rejection) { stored = try lane.reader.stored(by: device) } catch {
            note("a receipt on record is not good enough to be sent: \(error.code.rawValue)", lane.account)
            return ended(device, .refused, schedule)
        }
        switch schedule.step(device, stored) {
        case .keep(let exchange):
            if exchange.end != nil { state.withLock { $0.report.ended += 1 } }
            return ReceiptOutcome(device: device.id, exchange: exchange)
        case .ask: break
        }
        guard state.withLock({ $0.breakers[lane.account, default: CircuitBreaker()].admits(at: now) }) > 0 else { return nil }
        guard let token = try? await lane.token.text() else {
            return failed(device, on: lane, schedule, "no token can be signed for the team \(lane.teamID)")
        }
        do throws(VendorProblem) {
            let answer = try await client.call(lane.request(device.registration.receipt, token: token), at: lane.address)
            return await conclude(ReceiptAnswer(answer, at: now), device, stored, on: lane, schedule)
        } catch {
            switch error {
            // The daemon stops, or others ask too much: nothing is wrong with the service.
            case .cancelled, .closed, .busy: return nil
            default: return failed(device, on: lane, schedule, "\(error)")
            }
        }
    }

    private func conclude(
        _ answer: ReceiptAnswer, _ device: Device, _ stored: ReceiptFacts, on lane: ReceiptLane, _ schedule: ReceiptSchedule
    ) async -> ReceiptOutcome {
        switch answer {
        case .exchanged(let receipt):
            do throws(Rejection) {
                let new = try lane.reader.exchanged(receipt, for: device, at: schedule.now)
                guard new.createdAt >= stored.createdAt else {
                    throw Rejection(.receiptTooOld, "the receipt is older than the one on record")
                }
                succeeded(on: lane) { $0.exchanged += 1 }
                return ReceiptOutcome(
                    device: device.id, receipt: receipt, exchange: schedule.exchanged(device.exchange, for: new))
            } catch {
                return failed(device, on: lane, schedule, "a receipt that came in exchange is not good: \(error.code.rawValue)")
            }
        case .tooEarly:
            succeeded(on: lane)
            return ReceiptOutcome(device: device.id, exchange: schedule.tooEarly(device.exchange, stored))
        case .noData:
            succeeded(on: lane)
            return ended(device, .noData, schedule)
        case .refused:
            // One receipt may be bad; many in a row are a sign that it is not they.
            stumble(on: lane, schedule, answer.problem ?? "", asked: nil)
            return ended(device, .refused, schedule)
        case .unauthorized:
            await lane.token.forget()
            return failed(device, on: lane, schedule, answer.problem ?? "")
        case .later(_, let asked): return failed(device, on: lane, schedule, answer.problem ?? "", asked: asked)
        case .wrongEnvironment, .unreadable: return failed(device, on: lane, schedule, answer.problem ?? "")
        }
    }

    private func ended(_ device: Device, _ end: ReceiptExchange.End, _ schedule: ReceiptSchedule) -> ReceiptOutcome {
        state.withLock { $0.report.ended += 1 }
        return ReceiptOutcome(device: device.id, exchange: schedule.ended(device.exchange, end))
    }

    private func succeeded(on lane: ReceiptLane, _ count: (inout ReceiptReport) -> Void = { _ in }) {
        state.withLock { state in
            state.breakers[lane.account, default: CircuitBreaker()].succeeded()
            state.told[lane.account] = nil
            count(&state.report)
        }
    }

    /// Counts a failure of the service, whatever becomes of the device.
    private func stumble(on lane: ReceiptLane, _ schedule: ReceiptSchedule, _ problem: String, asked: Int64?) {
        note(problem, lane.account)
        state.withLock { state in
            var random = AnyRandom(state.random)
            state.breakers[lane.account, default: CircuitBreaker()].failed(at: schedule.now, asked: asked, using: &random)
            state.random = random.base
        }
    }

    /// Keeps the device for later.
    private func failed(
        _ device: Device, on lane: ReceiptLane, _ schedule: ReceiptSchedule, _ problem: String, asked: Int64? = nil
    ) -> ReceiptOutcome {
        stumble(on: lane, schedule, problem, asked: asked)
        let exchange = state.withLock { state in
            state.report.failed += 1
            var random = AnyRandom(state.random)
            let exchange = schedule.failed(device.exchange, asked: asked, using: &random)
            state.random = random.base
            return exchange
        }
        return ReceiptOutcome(device: device.id, exchange: exchange)
    }

    /// Tells what went wrong in the report, and in the log once until something else does.
    private func note(_ problem: String, _ account: String) {
        let isNew = state.withLock { state in
            state.report.problem = ReceiptReport.Problem(at: clock.now(), text: problem)
            return state.told.updateValue(problem, forKey: account) != problem
        }
        if isNew {
            logger.error("a receipt could not be exchanged", metadata: ["account": "\(account)", "problem": "\(problem)"])
        }
    }
}

/// A generator of whatever kind, for functions that take some.
private struct AnyRandom: RandomNumberGenerator {
    var base: any RandomNumberGenerator & Sendable
    init(_ base: any RandomNumberGenerator & Sendable) { self.base = base }
    mutating func next() -> UInt64 { base.next() }
}
