import AssayAPI
import AssayCore
import AssayRPC
import Logging

/// Denied calls and changes. A denied call is a notice, one line for each reason and caller in a period: a caller that repeats a
/// denied call must not hide another caller's.
extension RequestLog {
    /// Characters by which peers are told apart: a certificate may have many names.
    private static let peerLimit = 300

    /// The peer is no caller of the configuration.
    ///
    /// - Parameter namesSeveral: its certificate has the names of more than one caller.
    func denied(_ peer: RPCPeer, namesSeveral: Bool, _ path: String) {
        guard logger.logLevel <= .notice else { return }
        denied(
            namesSeveral ? "several_callers" : "not_recognised", String("\(PeerIdentity(peer))".prefix(Self.peerLimit)),
            ["peer": "\(peer)", "method": "\(path)"])
    }

    func denied(_ caller: Caller, _ why: Denial, _ path: String?, app: AppID?) {
        var names: Logger.Metadata = ["caller": "\(caller.name)"]
        if let path { names["method"] = "\(path)" }
        if let app { names["app"] = "\(app)" }
        denied(why.rawValue, caller.name, names)
    }

    private func denied(_ why: String, _ who: String, _ names: Logger.Metadata) {
        guard logger.logLevel <= .notice, let heldBack = denials.pass("\(why) \(who)") else { return }
        var names = names
        names["why"] = "\(why)"
        if heldBack > 0 { names["held_back"] = "\(heldBack)" }
        logger.notice("a call was not permitted", metadata: names)
    }

    /// A caller changed something. `what` is the daemon's word for it, never text that the caller sent.
    func changed(_ what: String, by caller: Caller, app: AppID? = nil, _ names: [String: String]) {
        var names = names.mapValues { Logger.MetadataValue.string($0) }
        names["caller"] = "\(caller.name)"
        if let app { names["app"] = "\(app)" }
        logger.notice("\(what)", metadata: names)
    }
}
