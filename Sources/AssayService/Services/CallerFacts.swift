import AssayAPI
import AssayCore
import AssayRPC

extension Assay_V1_WhoAmIResponse {
    /// What the daemon knows of a caller.
    ///
    /// - Parameter apps: those of the configuration.
    init(_ caller: Caller, at peer: RPCPeer, in callers: CallerDirectory, _ apps: AppDirectory, _ rates: RateLimits?) {
        self.init()
        name = caller.name
        (recognisedBy, mark) = callers.recognition(of: peer)
        roles = Role.allCases.filter(caller.roles.contains).map(\.rawValue)
        allApps = caller.apps == nil
        let own = apps.all.filter { caller.may(use: $0.id) }
        self.apps = own.map(\.id.text)
        let searchable = own.filter { $0.lookup != nil }.map(\.id)
        self.rates = rates?.levels(of: caller, own.map(\.id), searchable: searchable).map(Rate.init) ?? []
    }
}

extension Assay_V1_WhoAmIResponse.Rate {
    fileprivate init(_ level: RateLimits.Level) {
        self.init()
        limit = level.limit.rawValue
        app = level.app?.text ?? ""
        use = level.use.name
        rate = "\(level.rule)"
        burst = UInt32(clamping: level.rule.burst)
        left = UInt32(clamping: level.left)
        retryAfterMs = UInt32(clamping: (level.wait + 999) / 1000)
    }
}

extension CallerDirectory {
    /// What a peer is recognised by, and the user or name that it shows.
    fileprivate func recognition(of peer: RPCPeer) -> (by: String, mark: String) {
        switch peer {
        case .unix(let userID, _, _) where caller(userID: userID) != nil: return ("unix_user", "\(userID)")
        case .tls(_, _, let names):
            if let uri = names.uris.first(where: { !callers(uris: [$0], dnsNames: []).isEmpty }) { return ("uri", uri) }
            let dnsName = names.dnsNames.first { !callers(uris: [], dnsNames: [$0]).isEmpty }
            return ("dns", dnsName ?? "")
        case .tcp(_, _, let isLoopback) where !isLoopback || loopback == nil: return ("unauthenticated_network", "")
        case .key(let name, _): return ("key", name)
        case .unix, .tcp: return ("loopback_demo", "")
        }
    }
}
