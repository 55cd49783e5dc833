import AssayClient
import AssayCore
import Testing

/// A caller that requests verdicts while others misbehave, and measures the time.
struct HonestCaller: Sendable {
    /// Of 100 requests under any of the floods 99 are answered within this time. docs/operate/load.md states it.
    static let bound = Duration.seconds(1)
    /// The number of measured requests.
    static let requests = 150

    let home: TestHome
    let connect: @Sendable () async throws -> AssayClient

    /// Measures again before it fails: the machine may have been busy.
    static let attempts = 5
    /// A machine that takes long without any other load at the daemon has as many times that.
    static let slownessAllowed = 20

    /// The time within which 99 of 100 are answered while the test loads the daemon with nothing else.
    func calm(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Duration {
        try await measure("no other load", sourceLocation)
    }

    /// Expects answers within the limit.
    ///
    /// - Parameter calm: what ``calm(sourceLocation:)`` measured before the load.
    func isServed(
        during what: String, calm: Duration, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let bound = max(Self.bound, calm * Self.slownessAllowed)
        for _ in 1..<Self.attempts where try await measure(what, sourceLocation) < bound { return }
        #expect(try await measure(what, sourceLocation) < bound, "\(what)", sourceLocation: sourceLocation)
    }

    /// Sends challenges and uploads one after the other over one connection, and sometimes over a new one. Returns the time
    /// within which 99 of 100 were answered.
    private func measure(_ what: String, _ sourceLocation: SourceLocation) async throws -> Duration {
        let clock = ContinuousClock()
        var times: [Duration] = []
        var refusals = 0
        func timed<Result>(_ work: () async throws -> Result) async throws -> Result {
            let start = clock.now
            while true {
                do {
                    let result = try await work()
                    times.append(start.duration(to: clock.now))
                    return result
                } catch let error as AssayError where error.code == .resourceExhausted && refusals < Self.requests {
                    // Repeated, to count them.
                    refusals += 1
                }
            }
        }
        let client = try await connect()
        var phone = home.phone()
        #expect(try await phone.register(client).outcome == "accepted", sourceLocation: sourceLocation)
        while times.count < Self.requests {
            let challenge = try await timed { try await phone.challenge(.assert, client) }
            let upload = try phone.upload(challenge)
            let outcome = try await timed { try await client.patiently(upload).outcome }
            #expect(outcome == "accepted", sourceLocation: sourceLocation)
            guard times.count % 10 == 0 else { continue }
            let newcomer = try await timed {
                let newcomer = try await connect()
                _ = try await phone.challenge(.assert, newcomer)
                return newcomer
            }
            await newcomer.close()
        }
        await client.close()
        #expect(refusals == 0, "\(what)", sourceLocation: sourceLocation)
        times.sort()
        let late = times[times.count * 99 / 100]
        let milliseconds = { (time: Duration) in String(Int((time / .milliseconds(1)).rounded())) }
        print(
            "\(what): \(refusals) of \(times.count) requests refused, 50 of 100 within \(milliseconds(times[times.count / 2])) ms, 99 within \(milliseconds(late)) ms, "
                + "all within \(milliseconds(times[times.count - 1])) ms")
        return late
    }
}
