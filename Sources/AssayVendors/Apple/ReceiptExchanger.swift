package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// Exchanges the receipts of registered devices for newer ones in the background (Apple, "Assessing fraud risk"). The ledger
/// holds what is due: a daemon that was killed continues, and at worst repeats a request.
///
/// It is idle until it has routes. No request waits for it.
package final class ReceiptExchanger: Service {
    /// The interval between looks for due receipts, in milliseconds.
    package static let period: Int64 = 60_000
    /// Receipts that are read at a time, and the most of them that are in flight at a time.
    static let batch = 32
    static let width = 4

    private struct State {
        var routes: [ReceiptExchangeRoute] = []
        /// By account.
        var watches: [String: VendorHealth] = [:]
        var report = ReceiptReport()
        var random: any RandomNumberGenerator & Sendable
    }

    private let ledger: any ReceiptStore
    private let client: VendorClient
    private let clock: any WallClock
    private let clockAhead: @Sendable () -> Int64
    private let takes: @Sendable () async throws(LedgerError) -> Bool
    private let logger: Logger
    private let state: Mutex<State>

    /// How far the clock may run ahead, in milliseconds, without stopping the exchange: next times are wrong by at most as
    /// much. A machine that was off that long shows the same difference.
    static let toleratedLead: Int64 = 86_400_000

    /// - Parameter clockAhead: how far the clock is ahead of the time known to have passed, in milliseconds; 0 if it is
    ///   followed. While it is ahead no receipt is given up, since an expired one is never sent again; with a clock far ahead
    ///   nothing is sent at all.
    /// - Parameter takes: whether this daemon exchanges receipts now; another one of the same ledger may.
    package init(
        ledger: any ReceiptStore, client: VendorClient, clock: any WallClock,
        clockAhead: @escaping @Sendable () -> Int64 = { 0 },
        takes: @escaping @Sendable () async throws(LedgerError) -> Bool = { true }, logger: Logger,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        (self.ledger, self.client, self.clock) = (ledger, client, clock)
        (self.clockAhead, self.takes) = (clockAhead, takes)
        self.logger = logger
        state = Mutex(State(random: random))
    }

    /// Replaces the routes. The counted failures of earlier routes are dropped.
    package func use(_ routes: [ReceiptExchangeRoute]) {
        state.withLock { state in
            (state.routes, state.watches) = (routes, [:])
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

    /// Exchanges everything that is due now, as far as the service accepts requests.
    package func round() async {
        var due = 0
        for route in state.withLock({ $0.routes }) where !Task.isCancelled {
            do throws(LedgerError) { due += try await work(route) } catch {
                notice("the ledger does not say what is due: \(error)", on: route)
            }
        }
        state.withLock { $0.report.due = due }
    }

    /// Returns the number of due receipts at the start.
    private func work(_ route: ReceiptExchangeRoute) async throws(LedgerError) -> Int {
        var first: Int?
        while !Task.isCancelled, try await takes() {
            let now = clock.now()
            let admitted = watch(route).admits(at: now)
            let found = try await ledger.receipts(in: route.queue, dueAt: now, limit: min(Self.batch, admitted))
            if first == nil { first = found.count }
            guard !found.devices.isEmpty else { break }
            let outcomes = await outcomes(for: found.devices, on: route)
            try await ledger.keep(outcomes)
            // A failed exchange is still due: the next round continues.
            guard outcomes.count == found.devices.count else { break }
        }
        return first ?? 0
    }

    /// One outcome for each device, except for those without a result.
    private func outcomes(for devices: [Device], on route: ReceiptExchangeRoute) async -> [ReceiptOutcome] {
        await withTaskGroup(of: ReceiptOutcome?.self) { group in
            var waiting = devices[...]
            for _ in 0..<Self.width {
                guard let device = waiting.popFirst() else { break }
                group.addTask { await self.exchange(device, on: route) }
            }
            var outcomes: [ReceiptOutcome] = []
            while let outcome = await group.next() {
                if let outcome { outcomes.append(outcome) }
                if let device = waiting.popFirst() { group.addTask { await self.exchange(device, on: route) } }
            }
            return outcomes
        }
    }

    private func exchange(_ device: Device, on route: ReceiptExchangeRoute) async -> ReceiptOutcome? {
        let now = clock.now()
        let lead = clockAhead()
        guard lead <= Self.toleratedLead else { return nil }
        let schedule = ReceiptSchedule(period: route.period, now: now)
        let stored: ReceiptFacts
        do throws(Rejection) { stored = try route.reader.stored(by: device) } catch {
            notice("a receipt on record is not good enough to be sent: \(error.code.rawValue)", on: route)
            return ended(device, .refused, schedule)
        }
        switch schedule.step(device, stored) {
        case .keep(let exchange):
            guard exchange.end == nil || lead == 0 else { return nil }
            if exchange.end != nil { state.withLock { $0.report.ended += 1 } }
            return ReceiptOutcome(device: device.id, exchange: exchange)
        case .ask: break
        }
        guard watch(route).admits(at: now) > 0 else { return nil }
        guard let token = try? await route.token.text() else {
            return failed(device, on: route, schedule, "no token can be signed for the team \(route.teamID)")
        }
        do throws(VendorError) {
            let answer = try await client.call(route.request(device.registration.receipt, token: token), at: route.address)
            return await conclude(ReceiptAnswer(answer, at: now), device, stored, on: route, schedule)
        } catch {
            switch error {
            // The daemon stops, or other requests fill the limit: the service did not fail.
            case .cancelled, .closed, .busy: return nil
            default: return failed(device, on: route, schedule, "\(error)")
            }
        }
    }

    private func conclude(
        _ answer: ReceiptAnswer, _ device: Device, _ stored: ReceiptFacts, on route: ReceiptExchangeRoute,
        _ schedule: ReceiptSchedule
    ) async -> ReceiptOutcome {
        switch answer {
        case .exchanged(let receipt):
            do throws(Rejection) {
                let new = try route.reader.exchanged(receipt, for: device, at: schedule.now)
                guard new.createdAt >= stored.createdAt else {
                    throw Rejection(.receiptTooOld, "the receipt is older than the one on record")
                }
                succeeded(on: route) { $0.exchanged += 1 }
                return ReceiptOutcome(
                    device: device.id, receipt: receipt, exchange: schedule.exchanged(device.exchange, for: new))
            } catch {
                return failed(
                    device, on: route, schedule, "a receipt that came in exchange is not good: \(error.code.rawValue)")
            }
        case .tooEarly:
            succeeded(on: route)
            return ReceiptOutcome(device: device.id, exchange: schedule.tooEarly(device.exchange, stored))
        case .noData:
            succeeded(on: route)
            return ended(device, .noData, schedule)
        case .refused:
            // One receipt may be bad; many in a row suggest a failure of the service.
            stumble(on: route, schedule, answer.problem, asked: nil)
            return ended(device, .refused, schedule)
        case .unauthorized:
            await route.token.forget()
            return failed(device, on: route, schedule, answer.problem)
        case .later(_, let asked): return failed(device, on: route, schedule, answer.problem, asked: asked)
        case .wrongEnvironment, .unreadable: return failed(device, on: route, schedule, answer.problem)
        }
    }

    private func ended(_ device: Device, _ end: ReceiptExchange.End, _ schedule: ReceiptSchedule) -> ReceiptOutcome {
        state.withLock { $0.report.ended += 1 }
        return ReceiptOutcome(device: device.id, exchange: schedule.ended(device.exchange, end))
    }

    private func succeeded(on route: ReceiptExchangeRoute, _ count: (inout ReceiptReport) -> Void = { _ in }) {
        watch(route).succeeded()
        state.withLock { count(&$0.report) }
    }

    /// Counts a failure of the service, independently of the device's outcome.
    private func stumble(on route: ReceiptExchangeRoute, _ schedule: ReceiptSchedule, _ problem: String, asked: Int64?) {
        show(problem)
        watch(route).failed(problem, begun: schedule.now, asked: asked)
    }

    /// Schedules the device for later.
    private func failed(
        _ device: Device, on route: ReceiptExchangeRoute, _ schedule: ReceiptSchedule, _ problem: String, asked: Int64? = nil
    ) -> ReceiptOutcome {
        stumble(on: route, schedule, problem, asked: asked)
        let exchange = state.withLock { state in
            state.report.failed += 1
            return schedule.failed(device.exchange, asked: asked, using: &state.random)
        }
        return ReceiptOutcome(device: device.id, exchange: exchange)
    }

    /// Reports a problem that is not a failure of the service.
    private func notice(_ problem: String, on route: ReceiptExchangeRoute) {
        show(problem)
        watch(route).noticed(problem)
    }

    private func show(_ problem: String) {
        state.withLock { $0.report.problem = ReceiptReport.Problem(at: clock.now(), text: problem) }
    }

    /// The health of the route's account.
    private func watch(_ route: ReceiptExchangeRoute) -> VendorHealth {
        state.withLock { state in
            if let watch = state.watches[route.account] { return watch }
            let watch = VendorHealth(
                .inBackground,
                VendorHealth.Words(
                    failing: "a receipt could not be exchanged", answering: "receipts are exchanged again",
                    metadata: ["account": "\(route.account)"]),
                clock: clock, logger: logger, random: state.random)
            state.watches[route.account] = watch
            return watch
        }
    }
}
