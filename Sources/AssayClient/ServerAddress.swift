import AssayFramedRPC
import AssayHTTPClient
import AssayListening
import AssayRPC

/// The address of a daemon, by which a client takes one transport or the other.
enum ServerAddress {
    case framed(RPCAddress)
    case http(HTTPAddress)

    /// Reads an address, and refuses it if what is sent there would be readable on the way, or cannot be sent.
    ///
    /// - Parameters:
    ///   - credentials: `tls:` needs them, with CAs; `https:` may have them.
    ///   - hasKey: whether an API key is sent with each call.
    init(parsing text: String, _ credentials: ClientCredentials?, hasKey: Bool) throws(AssayError) {
        if let address = HTTPAddress(parsing: text) {
            self = .http(address)
        } else if let address = RPCAddress(parsing: text) {
            self = .framed(address)
        } else {
            throw AssayError(
                .invalidArgument,
                "\"\(text)\" is not tls:host:port, https://host:port, host:port, tcp:host:port, http://host:port, unix:/path or http+unix:/path",
                reason: "bad_address")
        }
        if case .framed(.tls) = self, credentials?.files.namesAuthorities != true {
            throw AssayError(
                .invalidArgument, "\(text) takes a certificate, its key, and the CA of the daemon's",
                reason: "credentials_required")
        }
        if isReadable, hasKey {
            throw AssayError(
                .invalidArgument, "\(text) is not encrypted: an API key is sent over TLS or to a Unix socket",
                reason: "key_without_tls")
        }
    }

    /// Whether others can read what is sent.
    private var isReadable: Bool {
        switch self {
        case .framed(.tcp): true
        case .framed(.tls), .framed(.unix): false
        case .http(let address):
            switch address.place {
            case .network: !address.isEncrypted
            case .socket: false
            }
        }
    }

    /// Connects, with the files of the credentials as they are now.
    ///
    /// - Parameter form: of calls over HTTP.
    func connect(_ credentials: ClientCredentials?, _ form: HTTPForm) async throws(RPCError) -> any RPCChannel {
        switch self {
        case .framed(let address):
            var tls: ClientTLS?
            if case .tls = address, let credentials { tls = try Self.usable(credentials.tls) }
            return try await RPCConnection.connect(to: address, tls: tls)
        case .http(let address):
            var tls: HTTPClientTLS?
            if address.isEncrypted {
                tls = try Self.usable { () throws(TLSError) in
                    guard let credentials else { return try HTTPClientTLS.usual() }
                    return try credentials.httpTLS()
                }
            }
            switch form.calls {
            case .grpc: return try await GRPCChannel.connect(to: address, tls: tls)
            case .connect, .json:
                return try await HTTPChannel.connect(
                    to: address, tls: tls, messages: form.calls == .json ? .json : .protobuf, isHTTP1Only: form.isHTTP1Only)
            }
        }
    }

    private static func usable<TLS>(_ make: () throws(TLSError) -> TLS) throws(RPCError) -> TLS {
        do throws(TLSError) { return try make() } catch { throw .connectFailed("the credentials cannot be used: \(error)") }
    }
}

extension ClientCredentials {
    fileprivate func tls() throws(TLSError) -> ClientTLS {
        try files.current { (content) throws(TLSError) in try ClientTLS(content) }
    }

    fileprivate func httpTLS() throws(TLSError) -> HTTPClientTLS {
        try files.current { (content) throws(TLSError) in try HTTPClientTLS(content) }
    }
}
