import AssayPhone
import Foundation

/// A backend whose first answers to a registration or an upload are lost on the way to the phone.
final class LossyBackend: Backend {
    private let backend: any Backend
    let losses = Locked(0)
    let uploads = Locked<[SignedUpload]>([])

    init(_ backend: any Backend) { self.backend = backend }

    func challenge(for act: Act) async throws(BackendError) -> Challenge { try await backend.challenge(for: act) }

    func register(_ registration: Registration) async throws(BackendError) -> BackendAnswer {
        try lost(try await backend.register(registration))
    }

    func upload(_ upload: SignedUpload) async throws(BackendError) -> BackendAnswer {
        uploads.with { $0.append(upload) }
        return try lost(try await backend.upload(upload))
    }

    private func lost(_ answer: BackendAnswer) throws(BackendError) -> BackendAnswer {
        let isLost = losses.with { losses in
            defer { losses = max(losses - 1, 0) }
            return losses > 0
        }
        guard !isLost else { throw .noAnswer }
        return answer
    }
}
