import AssayPhone
import Foundation

/// A backend that answers as it is told, and remembers what it got. What is not told is accepted.
final class ScriptedBackend: Backend {
    struct State {
        var challengeErrors: [BackendError] = []
        var registerAnswers: [Result<BackendAnswer, BackendError>] = []
        var uploadAnswers: [Result<BackendAnswer, BackendError>] = []
        var challenges: [Act] = []
        var registrations: [Registration] = []
        var uploads: [SignedUpload] = []
    }

    let state = Locked(State())
    /// Called in each registration, before its answer.
    let registrationBegins = Locked<@Sendable () async -> Void>({})

    func challenge(for act: Act) async throws(BackendError) -> Challenge {
        let result = state.with { state -> Result<Challenge, BackendError> in
            state.challenges.append(act)
            if !state.challengeErrors.isEmpty { return .failure(state.challengeErrors.removeFirst()) }
            return .success(Self.challenge(state.challenges.count))
        }
        return try result.get()
    }

    func register(_ registration: Registration) async throws(BackendError) -> BackendAnswer {
        state.with { $0.registrations.append(registration) }
        await registrationBegins.with { $0 }()
        return try state.with { $0.registerAnswers.isEmpty ? .success(.done) : $0.registerAnswers.removeFirst() }.get()
    }

    func upload(_ upload: SignedUpload) async throws(BackendError) -> BackendAnswer {
        let answer = state.with { state -> Result<BackendAnswer, BackendError> in
            state.uploads.append(upload)
            return state.uploadAnswers.isEmpty ? .success(.done) : state.uploadAnswers.removeFirst()
        }
        return try answer.get()
    }

    var challenges: [Act] { state.with { $0.challenges } }
    var registrations: [Registration] { state.with { $0.registrations } }
    var uploads: [SignedUpload] { state.with { $0.uploads } }

    /// The challenge that this backend issues as its `count`-th.
    static func challenge(_ count: Int) -> Challenge {
        guard let challenge = Challenge(bytes: Data(repeating: UInt8(count), count: Challenge.length)) else {
            fatalError("54 bytes")
        }
        return challenge
    }
}
