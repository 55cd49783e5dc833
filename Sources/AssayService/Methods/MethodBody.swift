import AssayAPI
import AssayCore
import AssayRPC

/// A declared method and its body: all that a service gives.
///
/// `ServedMethods` puts around it what every call needs: authorising, decoding, taking turns, errors, log and counts. A body can be
/// made only by the functions below, so that no method is served without.
package struct MethodBody: Sendable {
    let declaration: MethodDeclaration
    let work: Work

    enum Work: Sendable {
        case unary(Unary)
        case batch(Batch)
        case stream(Stream)
    }

    /// Reads the fields of a call, authorises its app, and returns the work, which gives the serialised answer. The work waits for its turn,
    /// if the method takes turns.
    typealias Unary = @Sendable (RPCCall, Caller, CallAuthorizer) throws -> @Sendable () async throws -> [UInt8]
    typealias Batch = @Sendable (CallBatch) async -> Void
    typealias Stream = @Sendable (RPCCall, RPCStreamWriter, StreamCaller) async throws -> Void

    private init(_ declaration: MethodDeclaration, _ work: Work) { (self.declaration, self.work) = (declaration, work) }

    // MARK: Methods whose request names an app

    /// - Parameters:
    ///   - read: reads the fields of the request before its app is authorised; throws `RequestError`.
    ///   - body: the caller may use the app. What it throws becomes an answer by `RPCError.init(thrown:)`.
    static func unary<Request, Response, Fields: Sendable>(
        _ method: AppMethod<Request, Response>, reading read: @escaping @Sendable (AppID, Request) throws -> Fields,
        _ body: @escaping @Sendable (Caller, AppProfile, Fields) async throws -> Response
    ) -> MethodBody {
        unary(method, reading: read, serialised: { try await body($0, $1, $2).serialised() })
    }

    /// - Parameters:
    ///   - read: as above.
    ///   - body: returns the response serialised: what is stored with a decision is answered as it is.
    static func unary<Request, Response, Fields: Sendable>(
        _ method: AppMethod<Request, Response>, reading read: @escaping @Sendable (AppID, Request) throws -> Fields,
        serialised body: @escaping @Sendable (Caller, AppProfile, Fields) async throws -> [UInt8]
    ) -> MethodBody {
        MethodBody(
            method.declaration,
            .unary { call, caller, authorizer in
                let request = try call.decode(Request.self)
                let app = try AppID(field: request.app)
                let fields = try read(app, request)
                let profile = try authorizer.profile(of: app, for: caller)
                return { try await body(caller, profile, fields) }
            })
    }

    static func unary<Request, Response>(
        _ method: AppMethod<Request, Response>,
        _ body: @escaping @Sendable (Caller, AppProfile, Request) async throws -> Response
    ) -> MethodBody {
        unary(method, reading: { $1 }, body)
    }

    // MARK: Other methods

    /// - Parameters:
    ///   - read: reads the fields of the request before its app, if it names one, is authorised; throws `RequestError`.
    ///   - body: if the request names an app, the caller may use it. What it throws becomes an answer by `RPCError.init(thrown:)`.
    static func unary<Request, Response, Fields: Sendable>(
        _ method: AppFilterMethod<Request, Response>, reading read: @escaping @Sendable (Request) throws -> Fields,
        _ body: @escaping @Sendable (Caller, Fields) async throws -> Response
    ) -> MethodBody {
        MethodBody(
            method.declaration,
            .unary { call, caller, authorizer in
                let request = try call.decode(Request.self)
                let app = request.app.isEmpty ? nil : try AppID(field: request.app)
                let fields = try read(request)
                if let app { try authorizer.authorize(filteringBy: app, caller, calling: method.declaration) }
                return { try await body(caller, fields).serialised() }
            })
    }

    static func unary<Request, Response>(
        _ method: DaemonMethod<Request, Response>, _ body: @escaping @Sendable (Caller, Request) async throws -> Response
    ) -> MethodBody {
        MethodBody(
            method.declaration,
            .unary { call, caller, _ in
                let request = try call.decode(Request.self)
                return { try await body(caller, request).serialised() }
            })
    }

    /// - Parameter body: gets the peer too, for a method about the caller itself.
    static func unary<Request, Response>(
        _ method: DaemonMethod<Request, Response>,
        ofPeer body: @escaping @Sendable (Caller, RPCPeer, Request) async throws -> Response
    ) -> MethodBody {
        MethodBody(
            method.declaration,
            .unary { call, caller, _ in
                let (request, peer) = (try call.decode(Request.self), call.peer)
                return { try await body(caller, peer, request).serialised() }
            })
    }

    // MARK: Streams

    /// - Parameter body: sends messages until it returns or throws. What it throws becomes the stream's end by
    ///   `RPCError.init(thrown:)`. It checks its caller again whenever it sends (``ServedStream/caller()``).
    static func stream<Request, Response>(
        _ method: DaemonMethod<Request, Response>,
        _ body: @escaping @Sendable (Request, ServedStream<Response>) async throws -> Void
    ) -> MethodBody {
        MethodBody(
            method.declaration,
            .stream { call, writer, caller in
                try await body(try call.decode(Request.self), ServedStream(writer, caller))
            })
    }

    // MARK: Hot methods

    /// - Parameter body: answers the calls of a batch. A call that it leaves unanswered is answered INTERNAL, `unanswered`.
    static func batch(_ method: some APIMethod, _ body: @escaping Batch) -> MethodBody {
        MethodBody(method.declaration, .batch(body))
    }
}
