package import AssayAPI
package import AssayOperations
package import AssayRPC
import AssayService

extension Readiness {
    /// Judges the status: ready is a daemon that can do all of its work for callers.
    ///
    /// A vendor's service that fails, and a CA that cannot sign, need attention; they do not make the daemon unready, since a restart or
    /// another route to it would not help, and verdicts that need neither go on.
    package init(_ status: Assay_V1_StatusResponse, _ phase: RPCServer.Phase) {
        var causes: [Cause] = []
        switch phase {
        case .notStarted: causes.append(Cause(code: "starting", message: "no address takes calls yet"))
        case .serving: break
        case .stopping: causes.append(Cause(code: "stopping", message: "the daemon finishes the calls in flight and stops"))
        }
        var others: [Cause] = []
        for item in status.attention {
            let cause = Cause(code: item.code, message: item.message, app: item.app)
            if AttentionCode(rawValue: item.code)?.preventsWork == true { causes.append(cause) } else { others.append(cause) }
        }
        for plugin in status.plugins where plugin.required && (plugin.state != .ready || !plugin.health.isEmpty) {
            let why = plugin.health.isEmpty ? plugin.problem : plugin.health
            causes.append(
                Cause(
                    code: AttentionCode.pluginNotReady.rawValue,
                    message: "the required plugin \(plugin.id) is not ready" + (why.isEmpty ? "" : ": " + why)))
        }
        if let certificate = status.endedCertificate {
            causes.append(Cause(code: AttentionCode.certificateExpired.rawValue, message: certificate))
        }
        self.init(causes: causes, others: others.filter { other in !causes.contains { $0.code == other.code } })
    }
}

extension AttentionCode {
    /// Whether evidence that the apps accept cannot be judged, or challenges cannot be issued. Plugins and certificates are judged by
    /// themselves: not each of them is needed.
    fileprivate var preventsWork: Bool {
        switch self {
        case .storeUnavailable, .storeDamaged, .storeReplaced, .noChallenges, .evidenceMemoryFull, .feedMissing, .feedOutdated:
            true
        case .diskLow, .reloadRefused, .appUnavailable, .feedNotRefreshed, .certificateExpired, .certificateExpiresSoon,
            .issuingUnavailable, .authorityExpiresSoon, .revocationListNotRefreshed, .pluginNotReady, .pluginQuarantine,
            .recordsUnavailable, .webhookFailing, .resultKeyUnavailable, .resultKeyEndsSoon, .resultKeyMissing,
            .statusListsNotRefreshed, .verdictsNotEnforced:
            false
        }
    }
}

extension Assay_V1_StatusResponse {
    /// Why no caller can connect with TLS: the daemon's certificate has ended, or every CA of its callers.
    fileprivate var endedCertificate: String? {
        let ended = certificates.filter { $0.notAfterUnixMs < nowUnixMs }
        if let own = ended.first(where: { $0.use == .server }) { return "\(own.file): the daemon's certificate has expired" }
        let authorities = certificates.filter { $0.use == .callerCa }
        guard !authorities.isEmpty, !authorities.contains(where: { $0.notAfterUnixMs >= nowUnixMs }) else { return nil }
        return "every CA of callers has expired"
    }
}
