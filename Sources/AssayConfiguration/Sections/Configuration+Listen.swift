import AssayAPI
import AssayCore
import AssayRPC
import AssaySchemes

extension Configuration {
    /// The addresses, each held against who could call there: nothing listens beyond loopback where callers are not
    /// recognised, unless the configuration says in so many words that they need not be.
    ///
    /// - Parameter knowsCallers: whether all of the callers could be read: who could call is judged only then.
    static func readListen(
        _ value: ConfigurationReader.Value, _ files: ConfigurationFiles, _ callers: CallerDirectory, knowsCallers: Bool
    ) -> [ListenAddress] {
        readAddresses(value, files, callers, namesProtocol: true) { value, listen in
            guard knowsCallers else { return true }
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
        var addresses: [ListenAddress] = []
        for item in value.list() ?? [] {
            guard let (place, listen) = readAddress(item, files, callers, namesProtocol: namesProtocol), hold(place, listen)
            else { continue }
            if addresses.contains(where: { $0.address.place == listen.address.place }) {
                place.report("\(listen.address) stands here twice: the second could not listen")
            }
            addresses.append(listen)
        }
        if value.isEmptyList { value.report("want at least one address") }
        return addresses
    }

    /// An entry of such a list, and where its address stands.
    private static func readAddress(
        _ item: ConfigurationReader.Value, _ files: ConfigurationFiles, _ callers: CallerDirectory, namesProtocol: Bool
    ) -> (place: ConfigurationReader.Value, listen: ListenAddress)? {
        let section = item.section()
        let (tcp, tls, unix) = (section.optional("tcp"), section.optional("tls"), section.optional("unix"))
        let (mode, certificates) = (section.optional("mode"), section.optional("client_certificates"))
        let spoken = namesProtocol ? section.optional("protocol") : nil
        let found = [tcp, tls, unix].compactMap(\.self)
        if found.isEmpty { section.absent(["tls", "tcp", "unix"], "want one of \"tls\", \"tcp\" and \"unix\"") }
        if namesProtocol {
            section.explain("https", "write \"tls: host:port\" and \"protocol: http\"", replacing: ["tls", "tcp", "unix"])
            section.explain("http", "write \"tcp: host:port\" and \"protocol: http\"", replacing: ["tls", "tcp", "unix"])
        }
        section.done()
        guard let place = found.first else { return nil }
        guard found.count == 1 else {
            item.report(
                "want one of \"tls\", \"tcp\" and \"unix\": another address is an item of its own, which begins with \"- \"")
            return nil
        }
        if tls == nil { certificates?.report("only clients over TLS show certificates") }
        if unix == nil { mode?.report("a TCP address has no mode") }
        let address = tcp?.address("tcp:") ?? tls?.address("tls:") ?? unix?.socket(mode, files)
        let speech = spoken?.choice(["framed": FrontProtocol.framed, "http": .http]) ?? .framed
        guard let address else { return nil }
        return (
            place,
            ListenAddress(
                address, speaks: speech,
                withoutCertificates: tls != nil && certificates?.makesCertificatesOptional(callers) == true)
        )
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
            report("want host:port such as 0.0.0.0:8443, have \"\(text.prefix(100))\"" + Self.faultOfAddress(text))
            return nil
        }
        return address
    }

    /// What is wrong with a text that is no `host:port`, as the end of a sentence; empty where that is plain.
    private static func faultOfAddress(_ text: String) -> String {
        if let scheme = ["https://", "http://", "tcp:", "tls:"].first(where: text.hasPrefix) {
            return ": leave out \"\(scheme)\""
        }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return ": the host is missing" }
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        if colons > 1, !text.hasPrefix("[") { return ": an IPv6 address has brackets, as in [::1]:8443" }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), !text.hasSuffix("]") else {
            return ": the port is missing"
        }
        let port = text[text.utf8.index(after: colon)...]
        return Int(port).map { !(0...65_535).contains($0) } == true ? ": a port is a number from 0 to 65535" : ""
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
        guard let text = text() else { return nil }
        guard let mode = UInt16(text.hasPrefix("0o") ? text.dropFirst(2) : text[...], radix: 8), mode <= 0o777 else {
            report("want an octal file mode such as 0660, have \"\(text.prefix(20))\"")
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
