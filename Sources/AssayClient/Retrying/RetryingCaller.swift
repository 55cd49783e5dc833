import AssayFramedRPC
import AssayRPC
import SwiftProtobuf

/// Makes calls over the keeper's connection, and again where that is safe and may help.
struct RetryingCaller: Sendable {
    let reconnecting: ReconnectingConnection
    let rule: RetryRule
    let time: ClientTime

    /// Tries until there is an answer, an error that a repetition does not mend, no try left, or no time for another.
    /// Then the last error is thrown.
    ///
    /// - Parameter timeout: for all tries and pauses together.
    func call<Reply: SwiftProtobuf.Message>(
        _ method: String, _ request: some SwiftProtobuf.Message, _ idempotency: Idempotency, timeout: Duration
    ) async throws(RPCError) -> Reply {
        try await persist(idempotency, timeout: timeout) { remaining throws(RPCError) in
            let connection = try await reconnecting.connection(within: remaining())
            do throws(RPCError) {
                return try await connection.call(method, request, timeout: remaining())
            } catch {
                // The connection went away under the call, which was not begun: it goes over another one at once.
                guard error.wasNotBegun, !connection.isOpen else { throw error }
                return try await reconnecting.connection(within: remaining()).call(method, request, timeout: remaining())
            }
        }
    }

    /// Waits until there is a connection.
    func connect(timeout: Duration) async throws(RPCError) {
        _ = try await persist(.idempotent, timeout: timeout) { remaining throws(RPCError) in
            try await reconnecting.connection(within: remaining())
        }
    }

    private func persist<T>(
        _ idempotency: Idempotency, timeout: Duration,
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
                guard tries < rule.tries, idempotency.allowsRetry(after: error) else { throw error }
                let floor = error.retryAfterMilliseconds.map { Duration.milliseconds($0) }
                let pause = rule.pause(after: tries, floor: floor, chance: time.chance())
                // A pause that ends too late only keeps the caller from hearing the error.
                guard pause < remaining() else { throw error }
                do { try await time.sleep(pause) } catch { throw .cancelled }
            }
        }
    }
}
