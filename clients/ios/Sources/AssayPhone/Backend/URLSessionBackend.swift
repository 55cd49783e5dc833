public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A backend with the routes of docs/start/protect-an-upload.md, in JSON. README.md of this package has the members.
public final class URLSessionBackend: Backend {
    /// What the backend calls its routes, and the payload in the request of an upload.
    public struct Names: Hashable, Sendable {
        public var challenges = "challenges"
        public var devices = "devices"
        public var uploads = "uploads"
        public var payload = "photo"

        public init() {}
    }

    private let url: URL
    private let names: Names
    private let prepare: @Sendable (inout URLRequest) async throws -> Void
    private let reader: BoundedSession
    private let session: URLSession

    /// - Parameters:
    ///   - url: the address below which the routes are.
    ///   - configuration: of the session. Its `timeoutIntervalForRequest` ends a request without an answer, 60 s unless set.
    ///   - maxAnswerBytes: the longest body of an answer. A longer one is a wrong answer, and is not read further.
    ///   - prepare: adds to a request what shows who is signed in, such as the header field `Authorization`. It may throw a
    ///     `BackendError` such as `.signedOut`; any other error is as no answer, and the request is tried again.
    public init(
        url: URL, names: Names = Names(), configuration: URLSessionConfiguration = .default, maxAnswerBytes: Int = 65536,
        prepare: @escaping @Sendable (inout URLRequest) async throws -> Void
    ) {
        (self.url, self.names, self.prepare) = (url, names, prepare)
        reader = BoundedSession(limit: maxAnswerBytes)
        session = URLSession(configuration: configuration, delegate: reader, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func challenge(for act: Act) async throws(BackendError) -> Challenge {
        try await post(["for": act.rawValue], names.challenges).challenge(at: Date())
    }

    public func register(_ registration: Registration) async throws(BackendError) -> BackendAnswer {
        let message = [
            "challenge": registration.challenge.bytes.base64EncodedString(), "key_id": registration.keyID,
            "attestation": registration.attestation.base64EncodedString(),
        ]
        return try await post(message, names.devices).next(at: Date())
    }

    public func upload(_ upload: SignedUpload) async throws(BackendError) -> BackendAnswer {
        let signature = upload.signature
        let message = [
            "upload_id": upload.id, "challenge": signature.challenge.bytes.base64EncodedString(), "key_id": signature.keyID,
            "assertion": signature.assertion.base64EncodedString(), names.payload: upload.payload.base64EncodedString(),
        ]
        return try await post(message, names.uploads).next(at: Date())
    }

    private func post(_ message: [String: String], _ route: String) async throws(BackendError) -> HTTPAnswer {
        var request = URLRequest(url: url.appendingPathComponent(route))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let encoder = JSONEncoder()
        // The same bytes each time.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { request.httpBody = try encoder.encode(message) } catch { throw .wrongAnswer("the request has no JSON: \(error)") }
        do {
            try await prepare(&request)
        } catch {
            throw error as? BackendError ?? (error is CancellationError ? .cancelled : .noAnswer)
        }
        return try await reader.send(request, in: session)
    }
}
