import AssayClient
import AssayCore
import AssayTesting
import Foundation

/// The rounds, one after the other, on one ledger.
///
/// Each round runs a daemon under load through a fault scenario, ends it, verifies the audit log in its file, starts `assayd`
/// on the file and compares.
struct CrashTestRun {
    /// The most accepted requests before a daemon is killed.
    let acceptances: Int
    /// How long a caller waits between its requests.
    let pace: Duration
    /// `assayd`.
    let daemon: String
    /// This program, for ``FaultyDaemon``.
    let itself: String
    let home: Home
    let expected = ExpectedState()
    let findings = Findings()
    /// The number of comparisons of each kind after a round.
    var recent: Int { max(20, acceptances / 2) }
    var numbers: SeededNumbers
    var process: DaemonProcess?
    /// A clock was stepped: the ledger may have entries dated in the future.
    var acceptsClock = false
    var kills = 0
    /// Further remarks about the round.
    var note = ""

    init(seed: UInt64, acceptances: Int, pace: Duration, daemon: String, itself: String, home: Home) {
        (self.acceptances, self.pace) = (acceptances, pace)
        (self.daemon, self.itself, self.home) = (daemon, itself, home)
        numbers = SeededNumbers(seed: seed)
    }

    /// The first rounds each have another scenario, later ones are chosen: a kill in every second round.
    mutating func scenario(of round: Int) -> FaultScenario {
        if round <= FaultScenario.allCases.count { return FaultScenario.allCases[round - 1] }
        return Bool.random(using: &numbers) ? .kill : FaultScenario.allCases.randomElement(using: &numbers) ?? .kill
    }

    /// Runs one round, and returns a line about it.
    mutating func run(_ scenario: FaultScenario) async throws -> String {
        let load = Load(home: home, expected: expected, findings: findings, pace: pace)
        note = ""
        switch scenario {
        case .kill, .stop: try await end(by: scenario == .kill ? SIGKILL : SIGTERM, load)
        case .fullDisk, .failingSync, .readOnly, .fullLedger: try await fail(scenario, load)
        case .clock: try await stepClock(load)
        case .restore: try await restore(load)
        }
        try await verifyAudit()
        if Int.random(in: 0..<3, using: &numbers) == 0 { try await killAtStart() }
        let compared = try await compare()
        return "\(load.accepted) accepted, \(load.refused) refused, \(load.unanswered) unanswered\(note); \(compared); "
            + "\(kills) kills so far"
    }

    /// Ends the daemon after the last round. It must end in order.
    mutating func finish() async throws {
        guard let process else { return }
        process.signal(SIGTERM)
        findings.expect(try await process.end() == 0, "the daemon did not stop in order")
        self.process = nil
        try await verifyAudit()
    }

    // MARK: Fault scenarios

    /// A signal at the time of an acceptance, or shortly after it.
    private mutating func end(by signal: Int32, _ load: Load) async throws {
        let process = try await running()
        let delay = UInt32.random(in: 0..<3000, using: &numbers)
        let count = someAcceptances()
        try await load.run(seed: numbers.next()) { load in
            load.atAcceptance(count) {
                usleep(delay)
                process.signal(signal)
            }
            try await process.end()
            load.stop()
        }
        let status = try await process.end()
        findings.expect(signal == SIGKILL || status == 0, "the daemon ended with status \(status) after SIGTERM")
        if signal == SIGKILL { kills += 1 }
        self.process = nil
    }

    /// The disk fails under load, and may recover before the daemon is killed.
    private mutating func fail(_ scenario: FaultScenario, _ load: Load) async throws {
        let process = try await scenario.fault == nil ? running() : faulty()
        let (before, after) = (someAcceptances(), someAcceptances())
        let duration = Duration.milliseconds(Int.random(in: 50..<300, using: &numbers))
        let recovers = Bool.random(using: &numbers)
        let findings = findings
        try await load.run(seed: numbers.next()) { load in
            try await load.wait(for: before)
            if let fault = scenario.fault { try process.tell(fault) } else { try await process.fillDisk(true) }
            load.outage.begin()
            try await Task.sleep(for: duration)
            load.outage.end()
            if recovers {
                if scenario.fault == nil { try await process.fillDisk(false) } else { try process.tell(.heal) }
                let count = load.accepted
                try await load.wait(for: count + after)
                findings.expect(load.accepted > count, "nothing is accepted after the disk works again")
            }
            process.signal(SIGKILL)
            load.stop()
        }
        try await process.end()
        kills += 1
        self.process = nil
    }

    /// The clock steps under load, up to a day in both directions, and is set right again.
    private mutating func stepClock(_ load: Load) async throws {
        let process = try await faulty()
        let minute: Int64 = 60_000
        let steps = [1, 10, 120, 1439, -1, -10, -120, -1430].map { $0 * minute }.shuffled(using: &numbers) + [0]
        let seeds = steps.map { _ in numbers.next() }
        let comparison = Comparison(
            recent: recent, home: home, expected: expected, findings: findings, client: try await home.connect())
        let late = Duration.milliseconds(300)
        try await load.run(seed: numbers.next(), isOutOfTime: true) { [acceptances] load in
            for (step, seed) in zip(steps, seeds) {
                try process.tell(.clock(step))
                try await load.wait(for: load.accepted + acceptances / 8 + 1, atMost: late)
                try await comparison.tryAgain(seed: seed)
            }
            process.signal(SIGKILL)
            load.stop()
        }
        await comparison.client.close()
        try await process.end()
        kills += 1
        acceptsClock = true
        self.process = nil
    }

    /// Kills a daemon at its start, while it recovers the ledger.
    private mutating func killAtStart() async throws {
        let process = try DaemonProcess(daemon, arguments, in: home)
        try await Task.sleep(for: .microseconds(Int.random(in: 1000..<60_000, using: &numbers)))
        process.signal(SIGKILL)
        try await process.end()
        kills += 1
    }

    // MARK: Between scenarios

    /// The real daemon.
    mutating func running() async throws -> DaemonProcess {
        if let process { return process }
        let process = try DaemonProcess(daemon, arguments, in: home)
        try await process.serve()
        self.process = process
        return process
    }

    /// The daemon with faults, in place of the running one.
    private mutating func faulty() async throws -> DaemonProcess {
        try await finish()
        let process = try DaemonProcess(itself, ["faulty-daemon", "--config", home.configuration()], in: home)
        try await process.serve()
        return process
    }

    private var arguments: [String] { ["--config", home.configuration()] + (acceptsClock ? ["--accept-clock"] : []) }

    private mutating func compare() async throws -> String {
        _ = try await running()
        let client = try await home.connect()
        let comparison = Comparison(
            recent: recent, home: home, expected: expected, findings: findings, client: client)
        let compared = try await comparison.run(seed: numbers.next())
        await client.close()
        return compared
    }

    /// `assayd audit verify`, on the file while no process has it open.
    func verifyAudit() async throws {
        let state = expected.now
        guard let head = state.heads[.only] else { return }
        let (status, words) = try await run(
            ["audit", "verify", home.ledger, "--expect-head", head.description, "--public-key", state.publicKey])
        findings.expect(status == 0, "the audit log does not verify: \(words)")
    }

    /// Runs `assayd` to its end.
    func run(_ arguments: [String]) async throws -> (status: Int32, words: String) {
        let process = try DaemonProcess(daemon, arguments, in: home)
        let status = try await process.end()
        return (status, try process.output() + process.log)
    }

    mutating func someAcceptances() -> Int { Int.random(in: 1...acceptances, using: &numbers) }
}
