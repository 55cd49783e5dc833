import AssayRPC

/// The sub-requests of nginx (`auth_request`), Caddy and Traefik (`forward_auth`, `forwardAuth`): the head of a client's request, whose body
/// the proxy keeps, so that its SHA-256 is the client's word until the service compares it.
///
/// It depends on what the proxy's configuration says of headers which of them are the client's.
enum SubrequestAuthorization {
    /// Called with any method, since proxies differ.
    static let path = "/v1/authorize"

    /// - Parameters:
    ///   - fields: the header fields of the sub-request, without pseudo-headers; names in any case.
    ///   - query: of the sub-request's target, which the proxy's configuration states: `app=photos&purpose=register`. It is believed in
    ///     place of headers.
    ///   - sourceAddress: the client's, if it is known better than by the proxy's connection.
    static func call(
        _ fields: some Sequence<(name: String, value: String)>, query: String = "", sourceAddress: String? = nil
    ) throws(RPCError) -> AuthorizationCall {
        var headers = try AuthorizationHeaders(fields)
        var seen: Set<AuthorizationHeader> = []
        for parameter in query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: 8) {
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, parts.count == 2, let header = header(of: name), seen.insert(header).inserted else {
                throw .unknownParameter
            }
            try headers.set(header, String(Substring(parts[1])))
        }
        return try AuthorizationCall(headers, body: .unseen, sourceAddress: sourceAddress)
    }

    private static func header(of parameter: Substring.UTF8View) -> AuthorizationHeader? {
        if parameter.elementsEqual("app".utf8) { return .app }
        if parameter.elementsEqual("purpose".utf8) { return .purpose }
        return nil
    }

    /// - Parameter call: `nil` where ``call(_:query:sourceAddress:)`` threw what `verdict` is now.
    static func answer(_ verdict: Result<[UInt8], RPCError>, to call: AuthorizationCall?) -> AuthorizationAnswer {
        AuthorizationAnswer(verdict, to: call, .subrequest)
    }
}
