import AssayMetrics
import AssayRPC
import Foundation

/// The answers to requests, whatever carries them: path, method, what the client accepts, and what its peer may see.
struct OperationsResponder: Sendable {
    struct Answer: Hashable, Sendable {
        let status: Int
        var contentType = "text/plain; charset=utf-8"
        var body: [UInt8]
        /// The methods that the path has, with status 405.
        var allow: String?

        init(_ status: Int, _ text: String) { (self.status, body) = (status, Array((text + "\n").utf8)) }

        init(_ status: Int, _ contentType: String, _ body: [UInt8]) {
            (self.status, self.contentType, self.body) = (status, contentType, body)
        }
    }

    /// How long an answer may be given again, so that requests cannot cost more than ten answers a second.
    private static let lifetime = Duration.milliseconds(100)

    private let source: OperationsSource
    private let liveness: RecentAnswer<Liveness>
    private let readiness: RecentAnswer<Readiness>
    private let metrics: [MetricsText: RecentAnswer<[UInt8]>]
    /// Of those who ask for the status, which is made for each: one that asks often does not keep the others waiting.
    let turns = ConcurrencyLimiter(places: 1)

    init(_ source: OperationsSource) {
        self.source = source
        liveness = RecentAnswer(for: Self.lifetime, make: source.liveness)
        readiness = RecentAnswer(for: Self.lifetime, make: source.readiness)
        metrics = Dictionary(
            uniqueKeysWithValues: MetricsText.allCases.map { format in
                (format, RecentAnswer(for: Self.lifetime) { await source.metrics(format) })
            })
    }

    /// - Parameters:
    ///   - path: without the query.
    ///   - accept: the values of the header, joined by commas.
    ///   - peer: `nil` for a TLS peer without a certificate.
    ///   - isAwaited: whether the client is still there, when its turn has come.
    func answer(
        _ method: String, _ path: String, accept: String, _ peer: RPCPeer?, _ grant: OperationsGrant,
        isAwaited: @Sendable () -> Bool = { true }
    ) async -> Answer {
        guard ["/livez", "/readyz", "/metrics", "/status"].contains(path) else {
            return Answer(404, "not found; there are /livez, /readyz, /metrics and /status")
        }
        guard method == "GET" || method == "HEAD" else {
            var answer = Answer(405, "only GET and HEAD")
            answer.allow = "GET, HEAD"
            return answer
        }
        switch path {
        case "/livez" where grant.probes: return show(await liveness.value, details: grant.details)
        case "/readyz" where grant.probes: return show(await readiness.value, details: grant.details, accept)
        case "/metrics" where grant.metrics:
            let format = AcceptHeader(accept).prefersOpenMetrics ? MetricsText.openMetrics : .prometheus
            return Answer(200, format.contentType, await metrics[format]?.value ?? [])
        case "/status" where grant.status:
            guard let peer else { break }
            let status = await turns.pass(of: PeerIdentity(peer)) { isAwaited() ? await source.status(peer) : nil }
            if let status { return Answer(200, "application/json", status) }
        default: break
        }
        return Answer(403, "not permitted")
    }

    private func show(_ liveness: Liveness, details: Bool) -> Answer {
        guard let problem = liveness.problem else { return Answer(200, "alive") }
        return Answer(503, details ? "stuck\n" + problem : "stuck")
    }

    private func show(_ readiness: Readiness, details: Bool, _ accept: String) -> Answer {
        let (status, word) = readiness.isReady ? (200, "ready") : (503, "not ready")
        guard details else { return Answer(status, word) }
        if AcceptHeader(accept).prefersJSON {
            func list(_ causes: [Readiness.Cause]) -> [[String: String]] {
                causes.map { cause in
                    var object = ["code": cause.code, "message": cause.message]
                    if !cause.app.isEmpty { object["app"] = cause.app }
                    return object
                }
            }
            let object: [String: Any] = [
                "ready": readiness.isReady, "not_ready": list(readiness.causes), "attention": list(readiness.others),
            ]
            let json = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
            return Answer(status, "application/json", Array(json ?? Data()))
        }
        func line(_ cause: Readiness.Cause) -> String {
            cause.code + (cause.app.isEmpty ? "" : " (\(cause.app))") + ": " + cause.message
        }
        let lines = [word] + readiness.causes.map(line) + readiness.others.map { "attention: " + line($0) }
        return Answer(status, lines.joined(separator: "\n"))
    }
}

/// The media types that a client accepts (RFC 9110 §12.5.1), as far as there is a choice here.
struct AcceptHeader {
    /// Longer headers are read up to here, in types.
    private static let typeLimit = 32

    private let qualities: [(type: String, quality: Double, isOldVersion: Bool)]

    init(_ text: String) {
        qualities = text.split(separator: ",").prefix(Self.typeLimit).map { item in
            let parts = item.split(separator: ";").map { $0.trimming.lowercased() }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            let version = parts.dropFirst().first { $0.hasPrefix("version=") }
            return (parts.first ?? "", quality, version.map { $0 != "version=1.0.0" } ?? false)
        }
    }

    /// Whether OpenMetrics 1.0 is asked for by name, and liked no less than Prometheus' text.
    var prefersOpenMetrics: Bool {
        let openMetrics = quality { $0.type == "application/openmetrics-text" && !$0.isOldVersion }
        return openMetrics > 0 && openMetrics >= quality { $0.type == "text/plain" }
    }

    /// Whether JSON is asked for by name, and liked no less than text.
    var prefersJSON: Bool {
        let json = quality { $0.type == "application/json" }
        return json > 0 && json >= quality { $0.type == "text/plain" }
    }

    private func quality(_ isMeant: ((type: String, quality: Double, isOldVersion: Bool)) -> Bool) -> Double {
        qualities.filter(isMeant).map(\.quality).max() ?? 0
    }
}

extension Substring {
    fileprivate var trimming: Substring {
        var rest = drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
        return rest
    }
}
