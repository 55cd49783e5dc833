package import AssayAPI
import AssayCore
package import AssayRPC

/// Authorises calls: the peer is a caller of the configuration, the caller has one of the method's roles, and it may use the app.
/// Everything else is PERMISSION_DENIED, which does not tell what exists; the log says why. Only a caller that may use every app is told that an app
/// is unknown: it would learn so from any other answer.
package struct CallAuthorizer: Sendable {
    private let callers: CallerDirectory
    private let apps: AppDirectory
    private let keys: KeyDirectory?
    let requestLog: RequestLog

    package init(
        callers: CallerDirectory, apps: AppDirectory, keys: KeyDirectory? = nil, requestLog: RequestLog = .closed
    ) {
        (self.callers, self.apps, self.keys, self.requestLog) = (callers, apps, keys, requestLog)
    }

    /// The name of a caller that the configuration recognises by its user or certificate: its connections and calls are counted
    /// together. `nil`: the peer has no name, and is counted by itself.
    package func name(of peer: RPCPeer) -> String? {
        if case .key(let name, _) = peer { return KeyRule.callerName(name) }
        return callers.known(peer)?.name
    }

    /// The peer that shows a credential in a call, if it is the API key of a caller and may be shown there.
    package func peer(_ peer: RPCPeer, showing credential: String) -> Result<RPCPeer, RPCError> {
        guard let keys, callers.keys != nil else { return .failure(.credentialRefused) }
        switch keys.key(in: credential, of: peer) {
        case .success(let key): return .success(.key(name: key.name, origin: peer))
        case .failure(let why):
            requestLog.refusedKey(of: peer, why.rawValue)
            return .failure(.credentialRefused)
        }
    }

    /// The caller behind a peer, if it is known now.
    package func caller(behind peer: RPCPeer) -> Caller? {
        guard case .key(let name, _) = peer else { return callers.caller(for: peer) }
        guard let rule = callers.keys, let key = keys?.usable(name) else { return nil }
        return rule.caller(with: key)
    }

    /// Why a peer may not call the method of that path, whatever the request says; `nil` if it may. The transport asks before a
    /// call waits for anything.
    package func refusal(of peer: RPCPeer, calling path: String) -> RPCError? {
        guard let method = MethodDeclaration.at(path) else { return .denied }
        do throws(RPCError) {
            _ = try caller(peer, calling: method)
            return nil
        } catch {
            return error
        }
    }

    /// The caller behind a peer, if it may call the method. What depends on the request is authorised when it has been
    /// read, by the functions below.
    func caller(_ peer: RPCPeer, calling method: MethodDeclaration) throws(RPCError) -> Caller {
        guard let caller = caller(behind: peer) else {
            requestLog.denied(peer, namesSeveral: callers.namesSeveral(peer), method.path)
            throw .denied
        }
        guard !caller.roles.isDisjoint(with: method.roles) else { throw denial(of: caller, .noRole, method.path) }
        guard !method.concernsAllApps || caller.apps == nil else { throw denial(of: caller, .notForAllApps, method.path) }
        return caller
    }

    /// The app of a request, if it is configured and the caller may use it.
    func profile(of app: AppID, for caller: Caller) throws(RPCError) -> AppProfile {
        guard let profile = apps[app] else {
            guard caller.apps == nil else { throw denial(of: caller, .noSuchApp) }
            throw .unknownApp(app, among: apps.all.map(\.id.text))
        }
        guard caller.may(use: app) else { throw denial(of: caller, .notItsApp, app: app) }
        return profile
    }

    /// Denies a call that asks for what concerns an app which is not the caller's. The app need not be configured: its records
    /// outlive it.
    func authorize(filteringBy app: AppID, _ caller: Caller, calling method: MethodDeclaration) throws(RPCError) {
        guard caller.may(use: app) else { throw denial(of: caller, .notItsApp, method.path) }
    }

    /// Denies a call for which the caller needs this role too.
    func require(_ role: Role, of caller: Caller, calling method: MethodDeclaration) throws(RPCError) {
        guard caller.roles.contains(role) else { throw denial(of: caller, .noRole, method.path) }
    }

    /// Logs why a caller may not do something; the caller is not told.
    ///
    /// - Parameters:
    ///   - path: the method, where it matters.
    ///   - app: one of the configuration. Any other name that a caller sends stays out of the log.
    private func denial(of caller: Caller, _ why: Denial, _ path: String? = nil, app: AppID? = nil) -> RPCError {
        requestLog.denied(caller, why, path, app: app)
        return .denied
    }
}

/// Why a caller may not do what it asked for. Raw values stand in the log.
enum Denial: String, Sendable {
    case noRole = "no_role"
    case notItsApp = "not_its_app"
    case noSuchApp = "no_such_app"
    /// The method changes something that belongs to all apps, and the caller is limited to some.
    case notForAllApps = "not_for_all_apps"
}

/// Maps a peer to a configured caller. Unknown peers are denied.
extension CallerDirectory {
    package func caller(for peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): caller(userID: userID) ?? loopback
        case .tcp(_, _, let isLoopback): (isLoopback ? loopback : nil) ?? network
        case .tls(_, _, let names): caller(named: names)
        // Known to the daemon's keys, not to the configuration.
        case .key: nil
        }
    }

    /// The caller that the configuration recognises by the peer's user or certificate; `nil` also for the demo profile and an open network.
    func known(_ peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): caller(userID: userID)
        case .tcp, .key: nil
        case .tls(_, _, let names): caller(named: names)
        }
    }

    /// Whether a peer is unknown because its certificate names more than one caller.
    func namesSeveral(_ peer: RPCPeer) -> Bool {
        guard case .tls(_, _, let names) = peer else { return false }
        let callers = callers(named: names)
        return callers.contains { $0 !== callers.first }
    }

    /// A certificate that names two callers is refused: it does not tell which of them calls.
    private func caller(named names: RPCPeerNames) -> Caller? {
        let callers = callers(named: names)
        guard let first = callers.first, callers.allSatisfy({ $0 === first }) else { return nil }
        return first
    }

    private func callers(named names: RPCPeerNames) -> [Caller] { callers(uris: names.uris, dnsNames: names.dnsNames) }
}
