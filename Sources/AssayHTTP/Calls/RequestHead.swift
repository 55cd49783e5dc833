import AssayRPC

/// The head of a request as calls need it, whatever version of HTTP carried it.
struct RequestHead {
    var method = ""
    /// Without the query.
    var path = ""
    /// The host that the client asks for (`:authority` or `Host`), with its port.
    var authority: String?
    var contentType: String?
    var contentLength: Int?
    /// What the whole body is compressed by.
    var contentEncoding: String?
    /// What each message of the body is compressed by: of gRPC, and of Connect's streams.
    var messageEncoding: String?
    var grpcTimeout: String?
    var connectTimeout: String?
    var idempotencyKey: String?
    var ifNoneMatch: String?
    /// The media types that the client takes.
    var accept: String?
    var expectsContinue = false
    var forwarded: [String] = []
    var forwardedFor: [String] = []
    /// The credential, and the trace that the call belongs to. Other fields are not handed to methods.
    var metadata = RPCMetadata()
    /// Every field, of a request whose header is what is judged.
    var all: [HTTPAnswer.Field] = []
    /// Behind the path, without the question mark.
    var query = ""
    /// What is wrong with it.
    private(set) var problem: HTTPRefusal?

    /// What the call carries.
    var callMetadata: RPCMetadata {
        guard !traceState.isEmpty, traceState.utf8.count <= Self.longestTraceState else { return metadata }
        var all = metadata
        all.append("tracestate", traceState)
        return all
    }

    /// In bytes: what W3C Trace Context §3.3.1.5 asks to be passed on.
    private static let longestTraceState = 512
    private var traceState = ""
    private var hasHost = false
    private var hasPseudoAuthority = false
    private var count = 0
    private var bytes = 0

    /// Reads one field. Of fields that stand once a second one is a problem, also an equal one: what is in between may have read the other.
    ///
    /// - Parameter name: in lower case.
    mutating func read(_ name: String, _ value: String, limits: HTTPLimits) {
        if name.utf8.first != UInt8(ascii: ":") { count += 1 }
        bytes += name.utf8.count + value.utf8.count + 32
        guard count <= limits.maxHeaderFields else { return note(.tooManyFields) }
        guard bytes <= limits.maxHeaderBytes else { return note(.tooLong) }
        switch name {
        case ":method": method = value
        case ":path": readTarget(value)
        case ":authority": (authority, hasPseudoAuthority) = (value, true)
        case "host": readHost(value)
        case "content-type": once(\.contentType, name, value)
        case "content-length":
            contentLength = Int(value)
            if contentLength == nil { note(.noLength) }
        case "content-encoding": once(\.contentEncoding, name, value)
        case "grpc-encoding", "connect-content-encoding": once(\.messageEncoding, name, value)
        case "grpc-timeout": once(\.grpcTimeout, name, value)
        case "connect-timeout-ms": once(\.connectTimeout, name, value)
        case "idempotency-key": once(\.idempotencyKey, name, value)
        case "authorization", "traceparent":
            if metadata[name] == nil { metadata.append(name, value) } else { note(.twice(name)) }
        case "tracestate":
            // A list may be cut into fields (W3C Trace Context §3.3.1).
            if traceState.utf8.count <= Self.longestTraceState { traceState += (traceState.isEmpty ? "" : ",") + value }
        case "accept": accept = accept.map { $0 + "," + value } ?? value
        case "if-none-match": ifNoneMatch = ifNoneMatch.map { $0 + "," + value } ?? value
        case "expect": expectsContinue = value.lowercased() == "100-continue"
        case "forwarded": forwarded.append(value)
        case "x-forwarded-for": forwardedFor.append(value)
        default: break
        }
        if path == SubrequestAuthorization.path, name.utf8.first != UInt8(ascii: ":") { all.append((name, value)) }
    }

    private mutating func readHost(_ value: String) {
        if hasHost { note(.twice("host")) }
        hasHost = true
        // Of HTTP/2 both name the same; that of a whole URI counts in place of the field (RFC 9112 §3.2.2).
        if hasPseudoAuthority, authority != value { note(.twice("host")) }
        if authority == nil { authority = value }
    }

    /// Reads a request target (RFC 9112 §3.2): a path, or a whole URI, whose host then counts.
    mutating func readTarget(_ target: String) {
        var rest = Substring(target)
        if !target.utf8.starts(with: "/".utf8), let scheme = target.range(of: "://") {
            rest = target[scheme.upperBound...]
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
            if rest.isEmpty { rest = "/" }
        }
        path = String(rest.prefix { $0 != "?" })
        query = String(rest.dropFirst(path.count + 1))
    }

    private mutating func once(_ field: WritableKeyPath<Self, String?>, _ name: String, _ value: String) {
        if self[keyPath: field] == nil { self[keyPath: field] = value } else { note(.twice(name)) }
    }

    private mutating func note(_ found: HTTPRefusal) { if problem == nil { problem = found } }
}

extension String {
    /// The first range of a text, by bytes.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].utf8.starts(with: text.utf8) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
