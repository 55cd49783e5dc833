import AssayConfiguration
import AssayCore
import AssayRPC
import AssaySchemes

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Configuration {
    /// What keeps the daemon from listening at the addresses of `listen`, whether by name or number, or at a Unix socket that is in
    /// use. The check neither listens nor connects.
    ///
    /// - Parameter lookUp: finds the addresses of hosts, within a bounded time.
    func addressFindings(
        _ account: UnixAccount, lookUp: ([String]) -> [String: HostLookup] = { HostLookup.all($0) }
    ) -> [ConfigurationFinding] {
        let places = fixed.addresses.compactMap(Place.init)
        let hosts = lookUp(places.map(\.host))
        var findings: [ConfigurationFinding] = []
        var bound: [(place: Place, address: HostAddress)] = []
        var taken: [(address: RPCAddress, key: String, sockets: [ListeningSocket])] = []
        lazy var listening = ListeningSocket.all()
        for place in places {
            let address: HostAddress
            switch hosts[place.host] {
            case .found(let found): address = found
            case .unknown(let why):
                findings.append(
                    finding(.addressUnresolved, at: place.key, "the host \"\(place.host)\" is not known here: \(why)"))
                continue
            case .unanswered, nil:
                findings.append(
                    finding(
                        .addressUnresolved, at: place.key,
                        "no name service says in \(DurationText.exact(Int64(HostLookup.limit))) what the host \"\(place.host)\" is; want a numeric address, "
                            + "which needs none"))
                continue
            }
            guard !address.isOfGroup else {
                findings.append(
                    finding(
                        .addressNotLocal, at: place.key,
                        "\(place.host) is an address of a group (multicast or broadcast), to which no caller can connect"))
                continue
            }
            if place.port != 0, let other = bound.first(where: { $0.place.port == place.port && $0.address.overlaps(address) })
            {
                findings.append(
                    finding(
                        .addressOverlap, at: place.key,
                        "\(place.address) and \(other.place.address) are one place: the second could not listen"))
                continue
            }
            bound.append((place, address))
            switch address.bindProblem(port: place.port) {
            case nil: findings += privilegeFindings(place, account)
            case EADDRINUSE?:
                let there = listening.filter { socket in
                    if case .port(let other, place.port) = socket.place { other.overlaps(address) } else { false }
                }
                taken.append((place.address, place.key, there))
            case EADDRNOTAVAIL?:
                findings.append(
                    finding(.addressNotLocal, at: place.key, "\(place.host) is not an address of this machine"))
            case EAFNOSUPPORT?:
                findings.append(finding(.addressNotLocal, at: place.key, "this machine has no addresses like \(place.host)"))
            case EACCES?, EPERM?: findings.append(privileged(place, account))
            case let problem?:
                findings.append(
                    finding(
                        .addressNotLocal, at: place.key,
                        "the daemon could not listen at \(place.address): \(String(cString: strerror(problem)))"))
            }
        }
        for (key, address) in fixed.addresses {
            guard case .unix(let path, _) = address, UnixFile(at: path)?.kind == .socket else { continue }
            let there = listening.filter { socket in
                if case .file(let other) = socket.place { Self.isSame(other, path) } else { false }
            }
            if !there.isEmpty { taken.append((address, key, there)) }
        }
        return findings + inUseFindings(taken)
    }

    /// Findings for an address at which a process listens already: the running daemon, which is good, or another process, which is not.
    private func inUseFindings(
        _ taken: [(address: RPCAddress, key: String, sockets: [ListeningSocket])]
    ) -> [ConfigurationFinding] {
        guard !taken.isEmpty else { return [] }
        let owner = LedgerOwner(of: fixed.store.ownFiles)
        var (findings, own): ([ConfigurationFinding], [RPCAddress]) = ([], [])
        for (address, key, sockets) in taken {
            if let owner, !sockets.isEmpty, owner.has(oneOf: sockets) ?? true {
                own.append(address)
            } else {
                // A connection that some process made may have the port too, and ends sooner or later.
                findings.append(
                    finding(
                        .addressInUse, at: key,
                        (sockets.isEmpty
                            ? "the port of \(address) is in use by a connection" : "a process listens at \(address) already")
                            + (owner.map { ", and not the daemon that uses the ledger (process \($0.process))" } ?? "")
                            + ": the daemon could not"))
            }
        }
        if let owner, !own.isEmpty {
            findings.append(
                finding(
                    .daemonRunning, at: "listen",
                    "a daemon runs with this ledger (process \(owner.process)) and listens at "
                        + own.map(\.description).joined(separator: ", ") + "; a second one would not start beside it"))
        }
        return findings
    }

    // MARK: Low ports

    /// Root may listen anywhere, and binding has shown what this user may; of another it is not known.
    private func privilegeFindings(_ place: Place, _ account: UnixAccount) -> [ConfigurationFinding] {
        guard account.userID != 0, account.userID != UnixAccount.current.userID, place.port != 0 else { return [] }
        let first =
            ProcFile.text("/proc/sys/net/ipv4/ip_unprivileged_port_start").flatMap { Int($0.prefix { $0 != "\n" }) } ?? 1024
        return place.port < first ? [privileged(place, account)] : []
    }

    private func privileged(_ place: Place, _ account: UnixAccount) -> ConfigurationFinding {
        finding(
            .privilegedPort, at: place.key,
            "\(account.words) may listen at port \(place.port) only where the daemon's unit allows it "
                + "(AmbientCapabilities=CAP_NET_BIND_SERVICE)")
    }

    // MARK: Places

    /// An address of `listen` or `operate.listen` that is not a Unix socket.
    private struct Place {
        let address: RPCAddress
        let host: String
        let port: Int
        /// The way to it.
        let key: String

        init?(_ key: String, _ address: RPCAddress) {
            switch address {
            case .tcp(let host, let port), .tls(let host, let port): (self.host, self.port) = (host, port)
            case .unix: return nil
            }
            (self.key, self.address) = (key, address)
        }
    }

    /// Whether two paths lead to one file that exists.
    static func isSame(_ a: String, _ b: String) -> Bool {
        if a == b { return true }
        guard let first = realpath(a, nil), let second = realpath(b, nil) else { return false }
        defer {
            free(first)
            free(second)
        }
        return strcmp(first, second) == 0
    }
}
