import ServiceLifecycle
import Synchronization

/// The house's one way to vendors: HTTPS, bounded in time, size and number, following no redirect. An answer of any status is
/// an answer; what it means is the asker's to know.
///
/// It is told at a reload of the configuration what holds from then on. It makes no connection before the first call.
package final class VendorClient: Service {
    private struct State {
        /// `nil` once it is shut down.
        var session: VendorSession?
        var callsUnderWay = 0
    }

    private let state: Mutex<State>

    /// Throws if the extra roots are no PEM.
    package init(_ settings: VendorSettings = VendorSettings()) throws {
        state = Mutex(State(session: try VendorSession(settings)))
    }

    /// Whether these are roots that `VendorSettings` may name.
    package static func canTrust(_ roots: [UInt8]) -> Bool {
        !roots.isEmpty && (try? VendorSession(VendorSettings(extraRoots: roots))) != nil
    }

    /// Makes ready what exchanges the settings for others; throws why they cannot be used, and then nothing has changed. Calls
    /// under way end as they began.
    package func prepare(_ settings: VendorSettings) throws -> @Sendable () -> Void {
        guard state.withLock({ $0.session?.settings != settings }) else { return {} }
        let next = try VendorSession(settings)
        return {
            self.state.withLock { state in
                if state.session != nil { state.session = next }
            }
        }
    }

    /// Asks, and waits for the whole answer.
    package func call(_ request: VendorRequest, at address: VendorAddress) async throws(VendorProblem) -> VendorAnswer {
        let session = try begin()
        defer { state.withLock { $0.callsUnderWay -= 1 } }
        return try await session.call(request, at: address)
    }

    private func begin() throws(VendorProblem) -> VendorSession {
        try state.withLock { state throws(VendorProblem) in
            guard let session = state.session else { throw .closed }
            guard state.callsUnderWay < session.settings.callLimit else { throw .busy }
            state.callsUnderWay += 1
            return session
        }
    }

    /// Takes calls until graceful shutdown. Stop it after those who call: what is still under way then is finished.
    package func run() async throws {
        try? await gracefulShutdown()
        close()
    }

    /// Takes no more calls.
    package func close() { state.withLock { $0.session = nil } }
}
