import AssayAPI
import AssayCore
package import AssayRPC
package import Logging

/// Logs requests by configured names and codes, never by what a caller sent. Refusals and mistakes of callers are logged at debug,
/// failures of the daemon and its dependencies at warning or error, one line of a kind in a period.
package struct RequestLog: Sendable {
    let logger: Logger
    private let limiter: LogRateLimiter
    /// Separate from the other limiter, so that callers without permission cannot suppress failures.
    let denials: LogRateLimiter

    package init(logger: Logger, limiter: LogRateLimiter = LogRateLimiter(), denials: LogRateLimiter = LogRateLimiter()) {
        (self.logger, self.limiter, self.denials) = (logger, limiter, denials)
    }

    /// Logs nothing, for tests that look at answers only.
    package static let closed = RequestLog(logger: Logger(label: "closed", factory: { _ in SwiftLogNoOpLogHandler() }))

    private func note(_ verdict: Verdict, _ names: Logger.Metadata) {
        var names = names
        switch verdict.decision {
        case .accepted(let assurance):
            names["assurance"] = "\(assurance.name)"
            logger.debug("accepted", metadata: names)
        case .rejected(let rejection, let check): note(rejection, check, names)
        }
    }

    private func note(_ rejection: Rejection, _ check: String, _ names: Logger.Metadata) {
        let reason: Logger.Metadata = ["reason": "\(rejection.code.rawValue)", "check": "\(check)"]
        logger.debug("rejected", metadata: names.merging(reason, uniquingKeysWith: { own, _ in own }))
    }

    /// Logs a call that was answered by an error, without the error's message, which may repeat what the caller sent.
    package func failed(_ method: String, _ error: RPCError, _ names: Logger.Metadata = [:]) {
        // What a rate limit refuses is counted: a client that repeats is no news.
        let level = error.reason == RPCError.rateLimited ? .debug : error.code.logLevel
        guard logger.logLevel <= level else { return }
        var names = names
        names["method"] = "\(method)"
        names["code"] = "\(error.code)"
        names["reason"] = "\(error.reason)"
        if level > .debug {
            guard let heldBack = limiter.pass("\(error.code) \(error.reason) \(error.cause)") else { return }
            if heldBack > 0 { names["held_back"] = "\(heldBack)" }
            if !error.cause.isEmpty { names["cause"] = "\(error.cause)" }
        }
        logger.log(level: level, level > .debug ? "a call failed" : "a call was refused", metadata: names)
    }

    /// Logs what came of the results of a verdict, never a token. What an operator has to see to is a warning, one line of a kind in a
    /// period.
    ///
    /// - Parameter names: what the log calls the request by.
    func signed(_ results: [SignedResult], _ names: () -> Logger.Metadata) {
        let told = results.filter { logger.logLevel <= $0.logLevel }
        guard !told.isEmpty else { return }
        let names = names()
        for result in told {
            var names = names
            names["shape"] = "\(result.shape.rawValue)"
            switch result.outcome {
            case .signed(_, let identifier, _):
                names["result_id"] = "\(Hex.encode(identifier))"
                logger.debug("signed a result", metadata: names)
            case .refused(let problem):
                names["reason"] = "\(problem.rawValue)"
                guard problem.isOperators else {
                    logger.debug("signed no result", metadata: names)
                    continue
                }
                guard let heldBack = limiter.pass("result \(problem.rawValue)") else { continue }
                if heldBack > 0 { names["held_back"] = "\(heldBack)" }
                logger.warning("signed no result", metadata: names)
            }
        }
    }
}

extension ResultProblem {
    /// Whether the daemon or its configuration stands in the way, and not the device or the caller.
    fileprivate var isOperators: Bool {
        switch self {
        case .unavailable, .keyUnavailable: true
        case .notAllowed, .simulated, .assurance, .tooMany, .noKey, .tooOld, .deviceBlocked, .notEnforced: false
        }
    }
}

extension SignedResult {
    /// A warning where only an operator can help.
    fileprivate var logLevel: Logger.Level {
        if case .refused(let problem) = outcome, problem.isOperators { .warning } else { .debug }
    }
}

/// Logs verdicts, at debug. Requests that could not be judged are logged by `failed`.
extension RequestLog: AnswerFollower {
    package func follow(_ group: inout AnsweredRequests) {
        guard logger.logLevel <= .debug else { return }
        for (index, (request, answer)) in zip(group.requests, group.answers).enumerated() {
            let names = request.names.merging(group.traceNames(index), uniquingKeysWith: { own, _ in own })
            switch answer {
            case .verdict(let verdict), .completed(let verdict, _): note(verdict, names)
            case .reported(let reported):
                note(reported.verdict, names.merging(["enforced": "false"], uniquingKeysWith: { own, _ in own }))
            case .repeated: logger.debug("repeated a verdict", metadata: names)
            case .failed, .abandoned: continue
            }
        }
    }

    package func follow(_ outcome: ProvisioningOutcome) {
        guard logger.logLevel <= .debug else { return }
        let request = outcome.request
        let names: Logger.Metadata = [
            "request_id": "\(Hex.encode(request.id))", "app": "\(request.app)", "purpose": "\(request.purpose.name)",
            "caller": "\(request.caller)",
        ]
        switch outcome.result {
        case .refused(let rejection, let check, _): note(rejection, check, names)
        case .repeated: logger.debug("repeated a provisioning", metadata: names)
        // A provisioning is logged as a change.
        case .provisioned, .failed: break
        }
    }
}

extension AuthorizedRequest {
    /// The log fields that identify a request.
    var names: Logger.Metadata {
        let names: Logger.Metadata = [
            "request_id": "\(Hex.encode(requestID))", "app": "\(request.app)", "purpose": "\(request.purpose.name)",
            "caller": "\(caller.name)",
        ]
        return trace.map { names.merging($0.names, uniquingKeysWith: { own, _ in own }) } ?? names
    }
}

extension RPCStatusCode {
    /// The log level of a call's error: debug for callers' mistakes.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .internalError, .dataLoss, .unknown: .error
        case .unavailable, .resourceExhausted: .warning
        case .ok, .cancelled, .invalidArgument, .deadlineExceeded, .notFound, .alreadyExists, .permissionDenied,
            .failedPrecondition, .aborted, .outOfRange, .unimplemented, .unauthenticated:
            .debug
        }
    }
}

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

    /// A credential was refused; it is not logged.
    func refusedKey(of peer: RPCPeer, _ why: String) {
        guard logger.logLevel <= .notice else { return }
        denied(why, String("\(PeerIdentity(peer))".prefix(Self.peerLimit)), ["peer": "\(peer)"])
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
    func changed(_ what: String, by caller: Caller, app: AppID? = nil, _ names: @autoclosure () -> [String: String]) {
        guard logger.logLevel <= .notice else { return }
        var names = names().mapValues { Logger.MetadataValue.string($0) }
        names["caller"] = "\(caller.name)"
        if let app { names["app"] = "\(app)" }
        logger.notice("\(what)", metadata: names)
    }
}
