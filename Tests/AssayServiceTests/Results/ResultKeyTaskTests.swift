import AssayAPI
import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import Logging
import SwiftProtobuf
import Synchronization
import Testing

@testable import AssayService

/// Daemons on one ledger that publish keys of results and follow what it says of them.
@Suite("Keys of results of several daemons", .timeLimit(.minutes(30)))
struct ResultKeyTaskTests {
    private static let issuer = ResultIssuer(.devices, address: "https://assay.example.com")
    private static let simulated = ResultIssuer(.simulatedDevices, address: "https://assay.example.com/simulated")
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    private let ledger = MemoryLedger()
    private let clock = FixedClock(ServiceHarness.opening)

    private func key(_ issuer: ResultIssuer = issuer) throws -> ResultKey {
        try #require(ResultKey(FileSigner(SigningKey.random(.p256)), issuer: issuer))
    }

    private func daemon(
        _ keys: ResultKey..., period: Duration = .seconds(3600), logger: Logger = ServiceHarness.logger
    ) -> ResultKeyTask {
        ResultKeyTask(ResultKeyTask.Keys(keys), ledger: ledger, period: period, clock: clock, logger: logger)
    }

    /// The key that a daemon signs with; `nil`: it signs nothing.
    private func signer(_ daemon: ResultKeyTask, _ kind: ResultPublicKey.Issuer = .devices) -> [UInt8]? {
        (try? daemon.ring.signer(kind, at: clock.now()))?.identifier
    }

    private func state(_ daemon: ResultKeyTask) throws -> ResultSigningState {
        try #require(daemon.signingStates(at: clock.now()).first)
    }

    private func rotate(_ daemon: ResultKeyTask, immediately: Bool = false) async throws {
        try await daemon.refresh(by: .start)
        let set = try #require(daemon.ring.keySet(.devices))
        let next = try set.rotation(at: clock.now(), immediately: immediately)
        _ = try await ledger.setSigning(next.identifier, from: next.starts, ChangeContext(.caller("op"), at: clock.now()))
        try await daemon.refresh(by: .start)
    }

    private func changes() async throws -> [String] {
        try await ledger.audit(from: 0, limit: 100).rows.compactMap { row in
            AuditChange(decoding: row.record).map { "\($0.kind.name) \($0.origin)" }
        }
    }

    @Test("the first key of a ledger signs at once, and another daemon with it signs with it too")
    func first() async throws {
        let key = try key()
        let (one, two) = (daemon(key), daemon(key))
        #expect(signer(one) == nil)
        try await one.refresh(by: .start)
        #expect(signer(one) == key.identifier)
        try await two.refresh(by: .start)
        #expect(signer(two) == key.identifier)
        #expect(try await ledger.resultKeys().count == 1)
        #expect(try await changes() == ["result_key_publish start"])
        let state = try state(one)
        #expect(state.problem == nil && state.nextProblem == nil && state.next == nil && state.waiting == 0)
        #expect(state.ends == clock.now().adding(milliseconds: 90 * Self.day))
    }

    @Test("a next key is published by a reload, and signs after a rotation once it was published for a day")
    func rotation() async throws {
        let (first, second) = (try key(), try key())
        let daemon = daemon(first)
        try await daemon.refresh(by: .start)
        clock.advance(milliseconds: Self.day)
        daemon.use(ResultKeyTask.Keys([first, second]))
        #expect(signer(daemon) == first.identifier, "before it is published")
        try await daemon.refresh(by: .signal)
        #expect(daemon.ring.keySet(.devices)?.published(at: clock.now()).count == 2)
        clock.advance(milliseconds: Self.hour)
        try await rotate(daemon)
        #expect(signer(daemon) == first.identifier)
        #expect(try state(daemon).next?.starts == ServiceHarness.opening.adding(milliseconds: 2 * Self.day))
        clock.set(ServiceHarness.opening.adding(milliseconds: 2 * Self.day - 1))
        #expect(signer(daemon) == first.identifier)
        clock.advance(milliseconds: 1)
        #expect(signer(daemon) == second.identifier)
        #expect(try state(daemon).past == 1)
        #expect(
            try await changes() == [
                "result_key_publish start", "result_key_publish signal", "result_key_sign caller(\"op\")",
            ])
    }

    @Test("a rotation at once is known to the other daemons at their next look")
    func rotationNow() async throws {
        let (first, second) = (try key(), try key())
        let (one, two) = (daemon(first, second), daemon(first, second))
        for daemon in [one, two] { try await daemon.refresh(by: .start) }
        #expect(signer(two) == first.identifier, "the first of the configuration signs first")
        try await rotate(one, immediately: true)
        #expect(signer(one) == second.identifier && signer(two) == first.identifier)
        try await two.refresh(by: .start)
        #expect(signer(two) == second.identifier)
    }

    @Test("a next key takes over at the end of a lifetime, and of several daemons one records it")
    func takeOver() async throws {
        let (first, second) = (try key(), try key())
        let (one, two) = (daemon(first, second), daemon(first, second))
        for daemon in [one, two] { try await daemon.refresh(by: .start) }
        let end = ServiceHarness.opening.adding(milliseconds: 90 * Self.day)
        clock.set(end.adding(milliseconds: -1))
        #expect(signer(one) == first.identifier)
        clock.set(end)
        // Before any of them looks.
        #expect(signer(one) == second.identifier && signer(two) == second.identifier)
        clock.advance(milliseconds: 15_000)
        for daemon in [one, two, one] { try await daemon.refresh(by: .signal) }
        #expect(try await ledger.resultKeys().last?.signsFrom == end)
        #expect(
            try await changes() == [
                "result_key_publish start", "result_key_publish start", "result_key_sign schedule",
            ])
        #expect(signer(two) == second.identifier)
    }

    @Test("without a next key nothing is signed after the end, a week before which the status says so")
    func ended() async throws {
        let first = try key()
        let daemon = daemon(first)
        try await daemon.refresh(by: .start)
        func codes() -> [String] {
            Assay_V1_StatusResponse.with {
                ($0.nowUnixMs, $0.store.available) = (clock.now().unixMilliseconds, true)
                $0.resultIssuers = daemon.signingStates(at: clock.now()).map(\.message)
            }.attention().map(\.code)
        }
        #expect(codes().isEmpty)
        clock.advance(milliseconds: 83 * Self.day)
        #expect(codes().isEmpty)
        clock.advance(milliseconds: 1)
        #expect(codes() == ["result_key_ends_soon"])
        clock.set(ServiceHarness.opening.adding(milliseconds: 90 * Self.day))
        #expect(signer(daemon) == nil)
        #expect(codes() == ["result_key_unavailable"])
        // A key that is added now signs once it was published for a day.
        let second = try key()
        daemon.use(ResultKeyTask.Keys([first, second]))
        try await daemon.refresh(by: .signal)
        #expect(signer(daemon) == nil)
        #expect(codes() == ["result_key_unavailable"])
        clock.advance(milliseconds: Self.day)
        #expect(signer(daemon) == second.identifier)
        #expect(codes().isEmpty)
    }

    @Test("of two daemons the one that lacks the next key is told so, signs nothing once it signs, and never with another")
    func lackingNext() async throws {
        let (first, second) = (try key(), try key())
        let (whole, lacking) = (daemon(first, second), daemon(first))
        for daemon in [whole, lacking] { try await daemon.refresh(by: .start) }
        #expect(try state(whole).nextProblem == nil)
        let warned = try state(lacking)
        #expect(warned.problem == nil && warned.nextProblem?.contains("does not have the key") == true)
        #expect(warned.message.nextProblem == warned.nextProblem)
        clock.advance(milliseconds: Self.day)
        try await rotate(whole)
        try await lacking.refresh(by: .signal)
        #expect(signer(whole) == second.identifier && signer(lacking) == nil)
        #expect(try state(lacking).problem?.contains("does not have the key") == true)
        // The keys that it publishes are those of the ledger.
        #expect(
            whole.ring.keySet(.devices)?.webKeySet(at: clock.now()) == lacking.ring.keySet(.devices)?.webKeySet(at: clock.now())
        )
        lacking.use(ResultKeyTask.Keys([first, second]))
        #expect(signer(lacking) == second.identifier)
    }

    @Test("each issuer has its own keys, and a key that was published as one of the other signs nothing")
    func issuers() async throws {
        let signing = FileSigner(SigningKey.random(.p256))
        let device = try #require(ResultKey(signing, issuer: Self.issuer))
        let test = try key(Self.simulated)
        let daemon = daemon(device, test)
        try await daemon.refresh(by: .start)
        #expect(signer(daemon) == device.identifier && signer(daemon, .simulatedDevices) == test.identifier)
        let moved = try #require(ResultKey(signing, issuer: Self.simulated))
        let other = self.daemon(moved)
        try await other.refresh(by: .start)
        #expect(signer(other, .simulatedDevices) == nil && signer(other) == nil)
        #expect(try state(other).problem?.contains("one of the other issuer") == true)
        #expect(try await ledger.resultKeys().count == 2)
    }

    @Test("while the ledger cannot be read what was read last stays, and a daemon that runs follows it afterwards")
    func outage() async throws {
        let (first, second) = (try key(), try key())
        let daemon = daemon(first, period: .milliseconds(5))
        try await daemon.refresh(by: .start)
        let running = Task { await daemon.run() }
        defer { running.cancel() }
        ledger.fail(with: .unavailable("disk full"))
        await #expect(throws: LedgerError.self) { try await daemon.refresh(by: .signal) }
        #expect(signer(daemon) == first.identifier)
        daemon.use(ResultKeyTask.Keys([first, second]))
        #expect(signer(daemon) == first.identifier)
        ledger.fail(with: nil)
        while daemon.ring.keySet(.devices)?.turns.count != 2 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(signer(daemon) == first.identifier)
    }

    @Test("a daemon without the section asks the ledger nothing and has no issuer")
    func without() async throws {
        let lines = Lines()
        let daemon = daemon(period: .milliseconds(1), logger: Logger(label: "test") { _ in lines })
        ledger.fail(with: .unavailable("not asked"))
        let running = Task { await daemon.run() }
        try await Task.sleep(for: .milliseconds(20))
        running.cancel()
        await running.value
        #expect(daemon.signingStates(at: clock.now()).isEmpty && daemon.ring.issuer(.devices) == nil)
        #expect(lines.all.isEmpty, "an answer of the ledger would be told of")
    }

    @Test("the log has a line when another key signs, when none does, and when one can again; and none while nothing changes")
    func log() async throws {
        let lines = Lines()
        let (first, second) = (try key(), try key())
        let daemon = daemon(first, logger: Logger(label: "test") { _ in lines })
        for _ in 0..<3 { try await daemon.refresh(by: .start) }
        #expect(lines.all == ["keys of results are published", "results are signed"])
        clock.advance(milliseconds: 90 * Self.day)
        for _ in 0..<3 { try await daemon.refresh(by: .signal) }
        #expect(lines.all.dropFirst(2) == ["no results are signed"])
        daemon.use(ResultKeyTask.Keys([first, second]))
        try await daemon.refresh(by: .signal)
        clock.advance(milliseconds: Self.day)
        for _ in 0..<3 { try await daemon.refresh(by: .signal) }
        #expect(lines.all.dropFirst(3) == ["keys of results are published", "results are signed"])
    }

    /// What is logged, in order.
    private final class Lines: LogHandler {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .info }
            set {}
        }

        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
    }
}
