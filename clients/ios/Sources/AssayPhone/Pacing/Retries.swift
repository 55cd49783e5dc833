/// Repeats calls by a `Backoff`.
struct Retries: Sendable {
    let backoff: Backoff
    let timing: Timing

    /// Whether the same call may succeed later.
    enum Again {
        case no
        case yes(after: Duration?)
    }

    enum Ended<Failure: Error>: Error {
        /// It failed for good, or in every try. `after`: what the other side asked for, if a repetition may help.
        case failed(Failure, after: Duration?)
        case cancelled
    }

    func run<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ call: () async throws(Failure) -> Value, again: (Failure) -> Again
    ) async throws(Ended<Failure>) -> Value {
        var count = 1
        while true {
            let failure: Failure
            do throws(Failure) {
                return try await call()
            } catch {
                failure = error
            }
            guard !Task.isCancelled else { throw .cancelled }
            guard case .yes(let after) = again(failure) else { throw .failed(failure, after: nil) }
            guard let pause = backoff.pause(afterTry: count, askedFor: after, chance: timing.chance()) else {
                throw .failed(failure, after: after)
            }
            do { try await timing.pause(pause) } catch { throw .cancelled }
            count += 1
        }
    }

    /// A call to the backend.
    func ask<Value>(
        isolation: isolated (any Actor)? = #isolation, _ call: () async throws(BackendError) -> Value
    ) async throws(PhoneError) -> Value {
        do {
            return try await run(call) { failure in
                switch failure {
                case .noAnswer: .yes(after: nil)
                case .later(let after): .yes(after: after)
                case .signedOut, .refused, .wrongAnswer, .cancelled: .no
                }
            }
        } catch {
            switch error {
            case .cancelled: throw .cancelled
            case .failed(.noAnswer, let after), .failed(.later, let after): throw .backendUnavailable(after: after)
            case .failed(.signedOut, _): throw .signedOut
            case .failed(.refused(let refusal), _): throw .refused(refusal)
            case .failed(.wrongAnswer(let text), _): throw .wrongAnswer(text)
            case .failed(.cancelled, _): throw .cancelled
            }
        }
    }
}
