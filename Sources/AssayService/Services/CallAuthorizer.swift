import AssayCore
package import AssayRPC

/// Lets a call in: a caller that is known, has one of the method's roles, and may use the app. Everything else is
/// PERMISSION_DENIED, which tells nothing about what exists; why stands in the log.
package struct CallAuthorizer: Sendable {
    private let callers: CallerDirectory
    private let apps: AppDirectory
    let requestLog: RequestLog

    package init(callers: CallerDirectory, apps: AppDirectory, requestLog: RequestLog = .closed) {
        (self.callers, self.apps, self.requestLog) = (callers, apps, requestLog)
    }

    /// The name of a caller that the configuration knows: its connections and calls are counted together, however it is
    /// recognised. `nil`: nobody in particular, whom nothing but the peer tells apart.
    package func name(of peer: RPCPeer) -> String? { callers.known(peer)?.name }

    /// Why a peer may not call the method of that path, whatever it asks for; `nil`: it may. What depends on the request is judged
    /// with the request.
    package func refusal(of peer: RPCPeer, calling path: String) -> RPCError? {
        guard let method = MethodDeclaration.byPath[path] else { return .denied }
        do throws(RPCError) {
            _ = try admit(peer, to: method)
            return nil
        } catch {
            return error
        }
    }

    func admit(_ peer: RPCPeer, to method: MethodDeclaration) throws(RPCError) -> Caller {
        guard let caller = callers.caller(for: peer) else {
            requestLog.denied(peer, namesSeveral: callers.namesSeveral(peer), method)
            throw .denied
        }
        guard !caller.roles.isDisjoint(with: method.roles) else { throw denial(of: caller, .noRole, method) }
        return caller
    }

    func profile(of app: AppID, for caller: Caller) throws(RPCError) -> AppProfile {
        guard let profile = apps[app] else { throw denial(of: caller, .noSuchApp) }
        guard caller.may(use: app) else { throw denial(of: caller, .notItsApp, app: app) }
        return profile
    }

    /// Tells the log why, and nobody else.
    ///
    /// - Parameter app: one of ours; what else a caller names stays out of the log.
    func denial(of caller: Caller, _ why: Denial, _ method: MethodDeclaration? = nil, app: AppID? = nil) -> RPCError {
        requestLog.denied(caller, why, method, app: app)
        return .denied
    }
}

/// Why a caller that is known may not do what it asked for. Raw values stand in the log.
enum Denial: String, Sendable {
    case noRole = "no_role"
    case notItsApp = "not_its_app"
    case noSuchApp = "no_such_app"
    /// What is everybody's is changed by those who may act for every app.
    case notForAllApps = "not_for_all_apps"
}
