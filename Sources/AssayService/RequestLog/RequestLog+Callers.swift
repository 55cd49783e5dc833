import AssayCore
import AssayRPC
import Logging

/// Who was not let in, and who changed something. The first is logged as a notice, one line of a kind and a caller in a period: a
/// caller that may not tries it again and again, and must not hide another one.
extension RequestLog {
    /// Peers that show as many characters alike are one to the journal: a certificate may have many names.
    private static let peerLimit = 300

    /// Nobody is known by what the peer shows.
    ///
    /// - Parameter namesSeveral: its certificate has the names of more than one caller.
    func denied(_ peer: RPCPeer, namesSeveral: Bool, _ method: MethodDeclaration) {
        guard logger.logLevel <= .notice else { return }
        denied(
            namesSeveral ? "several_callers" : "not_recognised", String("\(PeerIdentity(peer))".prefix(Self.peerLimit)),
            ["peer": "\(peer)", "method": "\(method.path)"])
    }

    func denied(_ caller: Caller, _ why: Denial, _ method: MethodDeclaration?, app: AppID?) {
        var names: Logger.Metadata = ["caller": "\(caller.name)"]
        if let method { names["method"] = "\(method.path)" }
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

    /// Something was changed for somebody. What was changed is named in our own words, never in the caller's.
    func changed(_ what: String, by caller: Caller, app: AppID? = nil, _ names: [String: String]) {
        var names = names.mapValues { Logger.MetadataValue.string($0) }
        names["caller"] = "\(caller.name)"
        if let app { names["app"] = "\(app)" }
        logger.notice("\(what)", metadata: names)
    }
}
