import AssayAPI
import AssayCore
import AssayRPC
import AssaySchemes

extension Configuration {
    /// Warns of callers that no address of `listen` lets in.
    static func warnOfUnreachable(_ callers: CallerDirectory, _ listen: [RPCAddress], in value: ConfigurationReader.Value) {
        guard !listen.isEmpty else { return }
        let hasSocket = listen.contains { if case .unix = $0 { true } else { false } }
        let hasTLS = listen.contains { if case .tls = $0 { true } else { false } }
        let near = Set(callers.unixUsers.map(\.caller))
        let far = callers.certificateHolders
        if callers.loopback != nil || callers.network != nil, listen.allSatisfy({ if case .tls = $0 { true } else { false } }) {
            value.warn(
                .callerUnreachable,
                "callers that are not recognised may call, but not over TLS, and nothing listens at a Unix socket or without TLS"
            )
        }
        for name in near.union(far).sorted() where !(hasSocket && near.contains(name)) && !(hasTLS && far.contains(name)) {
            value.warn(
                .callerUnreachable,
                near.contains(name)
                    ? "\(name) is known by its user, and nothing listens at a Unix socket"
                    : "\(name) is known by its certificate, and nothing listens with TLS")
        }
    }

    /// Warns of apps that no caller may ask verdicts for.
    static func warnOfUnused(_ apps: [AppConfiguration], _ callers: CallerDirectory, in value: ConfigurationReader.Value) {
        guard callers.loopback == nil, callers.network == nil, !callers.known.isEmpty else { return }
        for app in apps
        where !callers.known.contains(where: { $0.caller.roles.contains(.verify) && $0.caller.may(use: app.id) }) {
            value.warn(.appWithoutCaller, "no caller with the role verify may name the app \(app.id)")
        }
    }
}
