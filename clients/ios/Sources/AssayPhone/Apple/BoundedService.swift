import Foundation

/// Apple's service with a time limit on each call. Apple's calls have none, and cannot be cancelled: a call that is late goes on and
/// its result is dropped.
struct BoundedService {
    let service: any AppAttestService
    let limit: Duration
    let timing: Timing

    var isSupported: Bool { service.isSupported }

    func generateKey() async throws(AppAttestError) -> String {
        let service = service
        return try await bounded(late: .unknownSystemFailure) { () async throws(AppAttestError) in
            try await service.generateKey()
        }
    }

    /// A late answer is as none from Apple's server: the same key and hash are sent again. If Apple had attested the key meanwhile,
    /// that ends as `invalidKey`.
    func attestKey(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        let service = service
        return try await bounded(late: .serverUnavailable) { () async throws(AppAttestError) in
            try await service.attestKey(keyID, clientDataHash: clientDataHash)
        }
    }

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        let service = service
        return try await bounded(late: .unknownSystemFailure) { () async throws(AppAttestError) in
            try await service.generateAssertion(keyID, clientDataHash: clientDataHash)
        }
    }

    private func bounded<Value: Sendable>(
        late: AppAttestError, _ call: @escaping @Sendable () async throws(AppAttestError) -> Value
    ) async throws(AppAttestError) -> Value {
        let work = Task { () async -> Result<Value, AppAttestError> in
            do throws(AppAttestError) { return .success(try await call()) } catch { return .failure(error) }
        }
        let (timing, limit) = (timing, limit)
        let end = Task { () async -> Result<Value, AppAttestError> in
            try? await timing.limit(limit)
            return .failure(late)
        }
        defer {
            work.cancel()
            end.cancel()
        }
        return try await first(of: [work, end], ifCancelled: .failure(late)).get()
    }
}
