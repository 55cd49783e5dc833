import AssayAPI
import AssayCore
import AssayRPC
import AssaySchemes

extension Configuration {
    /// The addresses, each held against who could call there: nothing listens beyond loopback where callers are not
    /// recognised, unless the configuration says in so many words that they need not be.
    static func readListen(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, _ callers: CallerDirectory
    ) -> [ListenAddress] {
        readAddresses(value, files, callers, namesProtocol: true) { value, listen in
            switch listen.address {
            case .tcp: return value.mayListen(listen.address, callers)
            case .tls:
                if !callers.knowsCertificates, !listen.withoutCertificates {
                    value.report("nobody may call over TLS: no caller has a \"uri\" or a \"dns\" name")
                }
            case .unix: break
            }
            return true
        }
    }

    /// A list of addresses.
    ///
    /// - Parameters:
    ///   - namesProtocol: whether an entry says what is spoken there.
    ///   - hold: holds an address against who could reach it; reports at the address's value, and says whether it may be used.
    static func readAddresses(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, _ callers: CallerDirectory,
        namesProtocol: Bool = false,
        _ hold: (ConfigurationReader.Value, ListenAddress) -> Bool
    ) -> [ListenAddress] {
        let addresses = (value.list() ?? []).compactMap { item -> ListenAddress? in
            let section = item.section()
            let (tcp, tls, unix) = (section.optional("tcp"), section.optional("tls"), section.optional("unix"))
            let (mode, certificates) = (section.optional("mode"), section.optional("client_certificates"))
            let spoken = namesProtocol ? section.optional("protocol") : nil
            section.done()
            if tls == nil { certificates?.report("only clients over TLS show certificates") }
            if unix == nil { mode?.report("a TCP address has no mode") }
            let (place, address): (ConfigurationReader.Value, RPCAddress?)
            switch (tcp, tls, unix) {
            case (let tcp?, nil, nil): (place, address) = (tcp, tcp.address("tcp:"))
            case (nil, let tls?, nil): (place, address) = (tls, tls.address("tls:"))
            case (nil, nil, let unix?): (place, address) = (unix, unix.socket(mode, files))
            default:
                item.report("want one of \"tls\", \"tcp\" and \"unix\"")
                return nil
            }
            guard let address else { return nil }
            let listen = ListenAddress(
                address, speaks: spoken?.choice(["framed": .framed, "http": .http]) ?? .framed,
                withoutCertificates: tls != nil && certificates?.makesCertificatesOptional(callers) == true)
            return hold(place, listen) ? listen : nil
        }
        if addresses.isEmpty { value.report("want at least one address") }
        var seen: Set<String> = []
        for address in addresses.addresses where !seen.insert(address.place).inserted {
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
            value?.report("\(address) is in \"listen\" too: calls and probes cannot share an address")
        }
    }
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

    /// A Unix socket's path, with the mode that stands beside it.
    fileprivate func socket(_ mode: ConfigurationReader.Value?, _ files: ConfigurationFiles) -> RPCAddress? {
        // `sun_path` of `sockaddr_un` has 108 bytes with the zero at the end.
        let limit = 107
        guard let path = path(files) else { return nil }
        guard path.utf8.count <= limit else {
            report("the path \(path) has \(path.utf8.count) bytes; a socket's has at most \(limit)")
            return nil
        }
        return .unix(path: path, mode: mode?.fileMode() ?? 0o600)
    }

    /// The value of `client_certificates`.
    fileprivate func makesCertificatesOptional(_ callers: CallerDirectory) -> Bool {
        let isOptional = choice(["required": false, "optional": true]) ?? false
        if isOptional, callers.keys == nil {
            report("a client without a certificate needs an API key: want \"callers.keys\"")
        }
        return isOptional
    }

    /// Whether the daemon may listen at an address without TLS, where a caller is known by where it comes from at best.
    fileprivate func mayListen(_ address: RPCAddress, _ callers: CallerDirectory) -> Bool {
        guard callers.network == nil else { return true }
        guard case .tcp(let host, _) = address, Loopback.contains(host) else {
            report("it is not on loopback, and without TLS callers are not recognised; want \"tls\" in place of \"tcp\"")
            return false
        }
        if callers.loopback == nil {
            report("nobody may call over TCP unless \"callers.loopback_demo\" is set; listen on a Unix socket, or with \"tls\"")
        }
        return true
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
