import AssayPhone
import Foundation

/// A stand-in for `DCAppAttestService` with its rules: a key is attested once, and signs only after that. What it makes is no genuine
/// evidence.
final class VirtualService: AppAttestService {
    struct Call: Hashable {
        let keyID: String
        let hash: Data
    }

    struct State {
        var isSupported = true
        var attested: [String: Bool] = [:]
        /// Errors of the next calls; empty: none.
        var generateErrors: [AppAttestError] = []
        var attestErrors: [AppAttestError] = []
        var assertErrors: [AppAttestError] = []
        /// The numbers, from 1, of calls that never end.
        var silentAttestations: Set<Int> = []
        var silentAssertions: Set<Int> = []
        /// Calls that never end, and whose time limit has not ended them yet.
        var silent = 0
        var generated = 0
        var attests: [Call] = []
        var asserts: [Call] = []
    }

    let state = Locked(State())

    var isSupported: Bool { state.with { $0.isSupported } }

    func generateKey() async throws(AppAttestError) -> String {
        let result = state.with { state -> Result<String, AppAttestError> in
            state.generated += 1
            if !state.generateErrors.isEmpty { return .failure(state.generateErrors.removeFirst()) }
            let keyID = Data(repeating: UInt8(state.generated), count: 32).base64EncodedString()
            state.attested[keyID] = false
            return .success(keyID)
        }
        return try result.get()
    }

    func attestKey(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        let (result, isSilent) = state.with { state -> (Result<Data, AppAttestError>, Bool) in
            state.attests.append(Call(keyID: keyID, hash: clientDataHash))
            let isSilent = state.silentAttestations.contains(state.attests.count)
            if !state.attestErrors.isEmpty { return (.failure(state.attestErrors.removeFirst()), isSilent) }
            guard state.attested[keyID] == false else { return (.failure(.invalidKey), isSilent) }
            if !isSilent { state.attested[keyID] = true }
            return (.success(Data("attestation of ".utf8) + Data(keyID.utf8)), isSilent)
        }
        if isSilent { await never() }
        return try result.get()
    }

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        let (result, isSilent) = state.with { state -> (Result<Data, AppAttestError>, Bool) in
            state.asserts.append(Call(keyID: keyID, hash: clientDataHash))
            let isSilent = state.silentAssertions.contains(state.asserts.count)
            if !state.assertErrors.isEmpty { return (.failure(state.assertErrors.removeFirst()), isSilent) }
            guard state.attested[keyID] == true else { return (.failure(.invalidKey), isSilent) }
            return (.success(Data("assertion \(state.asserts.count)".utf8)), isSilent)
        }
        if isSilent { await never() }
        return try result.get()
    }

    /// As after a restored backup: the ids that a store has are worth nothing.
    func losesItsKeys() { state.with { $0.attested = [:] } }

    var generated: Int { state.with { $0.generated } }
    var attests: [Call] { state.with { $0.attests } }
    var asserts: [Call] { state.with { $0.asserts } }

    /// Whether a call waits for the end of its time limit. True once for each call.
    func takesSilentCall() -> Bool {
        state.with { state in
            defer { state.silent = max(state.silent - 1, 0) }
            return state.silent > 0
        }
    }

    /// Apple's calls do not end when a task is cancelled, and this one never does.
    private func never() async {
        state.with { $0.silent += 1 }
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
