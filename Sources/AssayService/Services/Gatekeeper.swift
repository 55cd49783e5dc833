import AssayCore
import AssayRPC

/// Lets a call in: a caller that is known, has one of the method's roles, and may use the app. Everything else is
/// PERMISSION_DENIED, which tells nothing about what exists.
package struct Gatekeeper: Sendable {
    private let callers: CallerDirectory
    private let apps: AppDirectory

    package init(callers: CallerDirectory, apps: AppDirectory) {
        (self.callers, self.apps) = (callers, apps)
    }

    func admit(_ peer: RPCPeer, to method: MethodDeclaration) throws(RPCError) -> Caller {
        guard let caller = callers.caller(for: peer), !caller.roles.isDisjoint(with: method.roles) else { throw .denied }
        return caller
    }

    func profile(of app: AppID, for caller: Caller) throws(RPCError) -> AppProfile {
        guard caller.may(use: app), let profile = apps[app] else { throw .denied }
        return profile
    }
}
