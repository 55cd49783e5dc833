import ServiceLifecycle
import Synchronization

/// The only client for vendors: HTTPS, bounded in time, size and number, following no redirect. An answer of any status is an
/// answer; the caller interprets it.
///
/// A reload of the configuration replaces its settings. It makes no connection before the first call.
package final class VendorClient: Service {
    private struct State {
        /// `nil` after shutdown.
        var session: VendorSession?
        var callsUnderWay = 0
    }

    private let state: Mutex<State>

    /// Throws if the extra roots are not PEM.
    package init(_ settings: VendorSettings = VendorSettings()) throws {
        state = Mutex(State(session: try VendorSession(settings)))
    }

    /// Whether `VendorSettings` may name these roots.
    package static func canTrust(_ roots: [UInt8]) -> Bool {
        !roots.isEmpty && (try? VendorSession(VendorSettings(extraRoots: roots))) != nil
    }

    /// Prepares the replacement of the settings; throws if they cannot be used, and then nothing has changed. Calls in flight
    /// keep the old settings.
    package func prepare(_ settings: VendorSettings) throws -> @Sendable () -> Void {
        guard state.withLock({ $0.session?.settings != settings }) else { return {} }
        let next = try VendorSession(settings)
        return {
            self.state.withLock { state in
                if state.session != nil { state.session = next }
            }
        }
    }

    /// Sends a request, and waits for the whole answer.
    package func call(_ request: VendorRequest, at address: VendorAddress) async throws(VendorError) -> VendorAnswer {
        let session = try begin()
        defer { state.withLock { $0.callsUnderWay -= 1 } }
        return try await session.call(request, at: address)
    }

    private func begin() throws(VendorError) -> VendorSession {
        try state.withLock { state throws(VendorError) in
            guard let session = state.session else { throw .closed }
            guard state.callsUnderWay < session.settings.callLimit else { throw .busy }
            state.callsUnderWay += 1
            return session
        }
    }

    /// Accepts calls until graceful shutdown. Stop it after its callers: it then finishes the calls in flight.
    package func run() async throws {
        try? await gracefulShutdown()
        close()
    }

    /// Accepts no more calls.
    package func close() { state.withLock { $0.session = nil } }
}

/// Limits and roots of requests to vendors.
package struct VendorSettings: Hashable, Sendable {
    /// The time for a connection with TLS.
    package var connectMilliseconds: Int64
    /// The time from the call to the last byte of the answer.
    package var totalMilliseconds: Int64
    /// The longest accepted body, in bytes.
    package var answerLimit: Int
    /// Calls in flight to all vendors together. More are refused at once: background callers wait, and a request that needs a
    /// verdict is answered with a retry.
    package var callLimit: Int
    /// Roots trusted beside those of the machine, as PEM: for proxies, and for tests.
    package var extraRoots: [UInt8]

    package init(
        connectMilliseconds: Int64 = 3000, totalMilliseconds: Int64 = 10_000, answerLimit: Int = 4 << 20,
        callLimit: Int = 64, extraRoots: [UInt8] = []
    ) {
        self.connectMilliseconds = connectMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.answerLimit = answerLimit
        self.callLimit = callLimit
        self.extraRoots = extraRoots
    }
}
