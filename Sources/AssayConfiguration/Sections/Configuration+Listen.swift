import AssayAPI
import AssayCore
import AssayRPC
import AssaySchemes

extension Configuration {
    /// The addresses, each held against who could call there: nothing listens beyond loopback where callers are not
    /// recognised, unless the configuration says in so many words that they need not be.
    static func readListen(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, _ callers: CallerDirectory
    ) -> (addresses: [RPCAddress], withoutCertificates: Set<RPCAddress>) {
        var withoutCertificates: Set<RPCAddress> = []
        let addresses = readAddresses(value, files) { value, address, certificates in
            let isOptional = certificates?.choice(["required": false, "optional": true]) ?? false
            switch address {
            case .tcp: return value.held(address, against: callers)
            case .tls:
                if isOptional, callers.keys == nil {
                    certificates?.report("a client without a certificate needs an API key: want \"callers.keys\"")
                } else if !callers.knowsCertificates, !isOptional {
                    value.report("nobody may call over TLS: no caller has a \"uri\" or a \"dns\" name")
                }
                if isOptional { withoutCertificates.insert(address) }
                return address
            case .unix: return address
            }
        }
        return (addresses, withoutCertificates)
    }

    /// A list of addresses.
    ///
    /// - Parameter hold: holds an address against who could reach it; reports at the address's value, and returns `nil` if it may not be
    ///   used. Its third value is `client_certificates`.
    static func readAddresses(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles,
        _ hold: (ConfigurationReader.Value, RPCAddress, ConfigurationReader.Value?) -> RPCAddress?
    ) -> [RPCAddress] {
        let addresses = (value.list() ?? []).compactMap { item -> RPCAddress? in
            let section = item.section()
            let (tcp, tls, unix) = (section.optional("tcp"), section.optional("tls"), section.optional("unix"))
            let (mode, certificates) = (section.optional("mode"), section.optional("client_certificates"))
            section.done()
            if tls == nil { certificates?.report("only clients over TLS show certificates") }
            if unix == nil { mode?.report("a TCP address has no mode") }
            switch (tcp, tls, unix) {
            case (let tcp?, nil, nil): return tcp.address("tcp:").flatMap { hold(tcp, $0, nil) }
            case (nil, let tls?, nil): return tls.address("tls:").flatMap { hold(tls, $0, certificates) }
            case (nil, nil, let unix?):
                guard let path = unix.path(files) else { return nil }
                guard path.utf8.count <= socketPathLimit else {
                    unix.report("the path \(path) has \(path.utf8.count) bytes; a socket's has at most \(socketPathLimit)")
                    return nil
                }
                return .unix(path: path, mode: mode?.fileMode() ?? 0o600)
            default:
                item.report("want one of \"tls\", \"tcp\" and \"unix\"")
                return nil
            }
        }
        if addresses.isEmpty { value.report("want at least one address") }
        var seen: Set<String> = []
        for address in addresses where !seen.insert(address.place).inserted {
            value.report("\(address) stands here twice: the second could not listen")
        }
        return addresses
    }

    /// Reports operations addresses that are addresses of calls too.
    static func reportOverlaps(
        of addresses: [RPCAddress], with others: [RPCAddress], in value: ConfigurationReader.Value?
    ) {
        let taken = Set(others.map(\.place))
        for address in addresses where taken.contains(address.place) {
            value?.report("\(address) is in \"listen\" too: calls and HTTP cannot share an address")
        }
    }

    /// `sun_path` of `sockaddr_un` has 108 bytes with the zero at the end.
    private static let socketPathLimit = 107
}

extension ConfigurationReader.Value {
    /// `host:port`.
    fileprivate func address(_ scheme: String) -> RPCAddress? {
        guard let text = text() else { return nil }
        guard let address = RPCAddress(parsing: scheme + text) else {
            report("want host:port, have \"\(text)\"")
            return nil
        }
        return address
    }

    /// An address without TLS, where a caller is known by where it comes from at best.
    fileprivate func held(_ address: RPCAddress, against callers: CallerDirectory) -> RPCAddress? {
        guard callers.network == nil else { return address }
        guard case .tcp(let host, _) = address, Loopback.contains(host) else {
            report("it is not on loopback, and without TLS callers are not recognised; want \"tls\" in place of \"tcp\"")
            return nil
        }
        if callers.loopback == nil {
            report("nobody may call over TCP unless \"callers.loopback_demo\" is set; listen on a Unix socket, or with \"tls\"")
        }
        return address
    }

    /// An octal file mode such as `0660`.
    fileprivate func fileMode() -> UInt16? {
        guard let text = text(), let mode = UInt16(text, radix: 8), mode <= 0o777 else {
            report("want an octal file mode such as 0660")
            return nil
        }
        return mode
    }
}

extension RPCAddress {
    /// What only one listener can have. Port 0 is another port each time.
    fileprivate var place: String {
        switch self {
        case .unix(let path, _): "unix:" + path
        case .tcp(let host, let port), .tls(let host, let port):
            port == 0 ? "\(UInt64.random(in: 0 ... .max))" : "\(host.lowercased()):\(port)"
        }
    }
}
