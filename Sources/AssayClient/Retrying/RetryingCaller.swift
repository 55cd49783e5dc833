import AssayRPC
import SwiftProtobuf

/// Makes calls over a connection that reconnects, and retries them where that is safe and may help.
struct RetryingCaller: Sendable {
    let reconnecting: ReconnectingConnection
    let rule: RetryRule
    let time: ClientTime
    /// What each call carries: the credential of a client with an API key.
    var credential: RPCMetadata = [:]

    /// Tries until there is an answer, an error that a retry does not help, no try left, or no time for another. Then it throws the last
    /// error.
    ///
    /// - Parameters:
    ///   - isIdempotent: a call may be repeated that the daemon has possibly begun.
    ///   - timeout: for all tries and pauses together.
    func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, isIdempotent: Bool, timeout: Duration,
        metadata: RPCMetadata = [:]
    ) async throws(RPCError) -> Reply {
        let metadata = credential.merging(metadata)
        return try await retrying(isIdempotent, timeout: timeout) { remaining throws(RPCError) in
            let connection = try await reconnecting.connection(within: remaining())
            do throws(RPCError) {
                return try await connection.call(
                    method, request, returning: Reply.self, timeout: remaining(), metadata: metadata)
            } catch {
                // The connection ended before the call was begun: it is made over another one at once.
                guard error.wasNotBegun, !connection.isOpen else { throw error }
                return try await reconnecting.connection(within: remaining())
                    .call(method, request, returning: Reply.self, timeout: remaining(), metadata: metadata)
            }
        }
    }

    /// Returns once there is a connection.
    func connect(timeout: Duration) async throws(RPCError) {
        _ = try await retrying(true, timeout: timeout) { remaining throws(RPCError) in
            try await reconnecting.connection(within: remaining())
        }
    }

    private func retrying<T>(
        _ isIdempotent: Bool, timeout: Duration,
        _ attempt: (_ remaining: () -> Duration) async throws(RPCError) -> T
    ) async throws(RPCError) -> T {
        let start = time.now()
        let remaining = { timeout - (time.now() - start) }
        var tries = 0
        while true {
            do throws(RPCError) {
                return try await attempt(remaining)
            } catch {
                tries += 1
                guard tries < rule.tries, error.allowsRetry(isIdempotent: isIdempotent) else { throw error }
                let least = error.retryAfterMilliseconds.map { Duration.milliseconds($0) }
                let pause = rule.pause(after: tries, atLeast: least, chance: time.chance())
                // A pause beyond the timeout would only delay the error.
                guard pause < remaining() else { throw error }
                do { try await time.sleep(pause) } catch { throw .cancelled }
            }
        }
    }
}

extension RPCError {
    /// Whether another try is safe and may help.
    fileprivate func allowsRetry(isIdempotent: Bool) -> Bool {
        guard !isOfTheClient else { return false }
        switch code {
        case .unavailable, .resourceExhausted: return isIdempotent || wasNotBegun
        default: return false
        }
    }
}

/// The clock and the random numbers of a client, which tests replace. Timeouts of the network are the connection's.
package struct ClientTime: Sendable {
    /// Since some instant in the past; monotonic.
    package var now: @Sendable () -> Duration
    /// Throws only when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// From 0 to 1.
    package var chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        (self.now, self.sleep, self.chance) = (now, sleep, chance)
    }

    package static func real() -> ClientTime {
        let start = ContinuousClock.now
        return ClientTime(
            now: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) },
            chance: { Double.random(in: 0...1) })
    }
}
