import AssayPhone
import Foundation

/// A stand-in for `DCAppAttestService` that makes the evidence of a virtual iPhone, by `assay simulate`.
///
/// Apple's calls get the hash of the client data only, and the command takes the client data itself: the tests' SHA-256 knows it. So a
/// daemon judges the bytes that the library laid out.
final class SimulatedService: AppAttestService {
    private struct State {
        /// Folders of virtual iPhones that have no key id yet.
        var unused: [URL]
        var folders: [String: URL] = [:]
        var attested: Set<String> = []
        var unavailable = 0
    }

    private let programs: Programs
    private let sha256: TestSHA256
    private let state: Locked<State>

    init(phones: [URL], programs: Programs, sha256: TestSHA256) {
        (self.programs, self.sha256, state) = (programs, sha256, Locked(State(unused: phones)))
    }

    var isSupported: Bool { true }

    /// The next attestations fail as if Apple's server were away.
    func isUnavailable(times: Int) { state.with { $0.unavailable = times } }

    /// As after a restored backup.
    func losesItsKeys() { state.with { $0.folders = [:] } }

    func generateKey() async throws(AppAttestError) -> String {
        guard let folder = state.with({ $0.unused.isEmpty ? nil : $0.unused.removeFirst() }),
            let text = try? String(contentsOf: folder.appendingPathComponent("key-id"), encoding: .utf8)
        else { throw .unknownSystemFailure }
        let keyID = text.trimmingCharacters(in: .whitespacesAndNewlines)
        state.with { $0.folders[keyID] = folder }
        return keyID
    }

    func attestKey(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        let isUnavailable = state.with { state in
            defer { state.unavailable = max(state.unavailable - 1, 0) }
            return state.unavailable > 0
        }
        guard !isUnavailable else { throw .serverUnavailable }
        guard state.with({ $0.folders[keyID] != nil && $0.attested.insert(keyID).inserted }) else { throw .invalidKey }
        return try evidence("attest", keyID, clientDataHash)
    }

    func generateAssertion(_ keyID: String, clientDataHash: Data) async throws(AppAttestError) -> Data {
        guard state.with({ $0.folders[keyID] != nil && $0.attested.contains(keyID) }) else { throw .invalidKey }
        return try evidence("assert", keyID, clientDataHash)
    }

    private func evidence(_ command: String, _ keyID: String, _ clientDataHash: Data) throws(AppAttestError) -> Data {
        guard let folder = state.with({ $0.folders[keyID] }), let clientData = sha256.preimage(of: clientDataHash) else {
            throw .invalidInput
        }
        let (input, output) = (folder.appendingPathComponent("client-data"), folder.appendingPathComponent("evidence"))
        do {
            try clientData.write(to: input)
            _ = try Programs.need(
                programs.assay, ["simulate", command, folder.path, "--client-data", input.path, "--out", output.path],
                in: folder)
            return try Data(contentsOf: output)
        } catch {
            throw .unknownSystemFailure
        }
    }
}
