import AssayClient
import AssayCore
import Testing

/// Somebody who wants verdicts while others misbehave, and how long that takes.
struct HonestCaller: Sendable {
    /// Of 100 requests under any of the floods 99 are answered within so long. docs/operations.md states it.
    static let bound = Duration.seconds(1)
    /// Requests that are measured.
    static let requests = 150

    let home: TestHome
    let connect: @Sendable () async throws -> AssayClient

    /// Sends challenges and uploads one after the other over one connection, and now and then as a newcomer, and expects to be
    /// served well.
    func isServed(during what: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let clock = ContinuousClock()
        var times: [Duration] = []
        func timed<Result>(_ work: () async throws -> Result) async throws -> Result {
            let start = clock.now
            let result = try await work()
            times.append(start.duration(to: clock.now))
            return result
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
        times.sort()
        let late = times[times.count * 99 / 100]
        let milliseconds = { (time: Duration) in String(Int((time / .milliseconds(1)).rounded())) }
        print(
            "\(what): 50 of 100 requests within \(milliseconds(times[times.count / 2])) ms, 99 within \(milliseconds(late)) ms, "
                + "all within \(milliseconds(times[times.count - 1])) ms")
        #expect(late < Self.bound, "\(what)", sourceLocation: sourceLocation)
    }
}
