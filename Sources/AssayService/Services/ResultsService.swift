import AssayAPI
package import AssayCore
import AssayRPC
package import AssayResults
import SwiftProtobuf

/// `assay.v1.Results`: the keys under which results are signed.
package struct ResultsService: Sendable {
    private let keys: ResultKeyRing
    private let ledger: any ResultKeyRegistry
    private let refresh: @Sendable () async throws(LedgerError) -> Void
    private let clock: any WallClock
    private let requestLog: RequestLog

    /// - Parameter refresh: reads what the ledger publishes into `keys`.
    package init(
        keys: ResultKeyRing, ledger: any ResultKeyRegistry, clock: any WallClock, requestLog: RequestLog,
        refresh: @escaping @Sendable () async throws(LedgerError) -> Void
    ) {
        (self.keys, self.ledger, self.refresh) = (keys, ledger, refresh)
        (self.clock, self.requestLog) = (clock, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.getResultKeys) { _, request in try published(request) },
            .unary(API.listResultKeys) { _, _ in list() },
            .unary(API.rotateResultKey) { caller, request in try await rotate(request, caller) },
        ]
    }

    private func published(_ request: Assay_V1_GetResultKeysRequest) throws(RPCError) -> Assay_V1_GetResultKeysResponse {
        let kind = ResultPublicKey.Issuer(simulated: request.simulated)
        guard let publication = keys.publication(of: kind, at: clock.now()) else { throw .noIssuer(kind) }
        return .with {
            ($0.issuer, $0.jwks) = (publication.issuer.address, String(decoding: publication.keySet, as: UTF8.self))
            $0.profiles = ResultShape.allCases.map(\.profile)
        }
    }

    private func list() -> Assay_V1_ListResultKeysResponse {
        let now = clock.now()
        let messages = ResultPublicKey.Issuer.allCases.flatMap { kind -> [Assay_V1_ResultKey] in
            guard let issuer = keys.issuer(kind), let set = keys.keySet(kind) else { return [] }
            return set.turns.map { message(of: $0, of: issuer, at: now) }
        }
        return .with { $0.keys = messages.sorted { $0.publishedAtUnixMs < $1.publishedAtUnixMs } }
    }

    private func rotate(_ request: Assay_V1_RotateResultKeyRequest, _ caller: Caller) async throws -> Assay_V1_ResultKey {
        try request.reason.check("reason", limit: DevicesService.reasonLimit)
        let kind = ResultPublicKey.Issuer(simulated: request.simulated)
        // Another daemon may have rotated since the last look.
        try await refresh()
        guard let issuer = keys.issuer(kind), let set = keys.keySet(kind) else { throw RPCError.noIssuer(kind) }
        let now = clock.now()
        let next: (identifier: [UInt8], starts: Timestamp)
        do throws(ResultRotationProblem) {
            next = try set.rotation(at: now, immediately: request.now)
        } catch {
            throw RPCError(error)
        }
        let context = ChangeContext(.caller(caller.name), at: now, reason: request.reason)
        _ = try await ledger.setSigning(next.identifier, from: next.starts, context)
        try await refresh()
        guard let turn = keys.keySet(kind)?.turns.first(where: { $0.identifier == next.identifier }) else {
            throw RPCError(.internalError, "the key is not published any more", reason: "method_failed")
        }
        let message = message(of: turn, of: issuer, at: now)
        requestLog.changed(
            "rotated the key of results", by: caller,
            ["kid": message.kid, "issuer": message.issuer, "signs_from": "\(next.starts)"])
        return message
    }

    private func message(of turn: ResultKeyTurn, of issuer: ResultIssuer, at now: Timestamp) -> Assay_V1_ResultKey {
        .with {
            ($0.kid, $0.issuer) = (Base64.url.encode(turn.identifier), issuer.address)
            $0.simulated = issuer.kind == .simulatedDevices
            $0.algorithm = JSONWebKey(subjectPublicKeyInfo: turn.key.key.publicKey)?.curve.algorithm ?? ""
            $0.state = turn.state(at: now).message
            $0.publishedAtUnixMs = turn.key.publishedAt.unixMilliseconds
            $0.signsFromUnixMs = turn.starts?.unixMilliseconds ?? 0
            $0.signsUntilUnixMs = turn.ends?.unixMilliseconds ?? 0
            $0.publishedUntilUnixMs = turn.publishedUntil?.unixMilliseconds ?? 0
            $0.held = keys.holds(turn.identifier)
        }
    }
}

extension ResultPublicKey.Issuer {
    init(simulated: Bool) { self = simulated ? .simulatedDevices : .devices }
}

extension ResultKeyTurn.State {
    fileprivate var message: Assay_V1_ResultKey.State {
        switch self {
        case .next: .next
        case .signing: .signing
        case .last: .last
        case .retired: .retired
        }
    }
}

extension RPCError {
    static func noIssuer(_ kind: ResultPublicKey.Issuer) -> RPCError {
        let section = kind == .devices ? "results" : "results.simulated"
        return RPCError(
            .failedPrecondition, "the configuration has no section \"\(section)\": nothing is signed",
            reason: "results_not_configured")
    }

    fileprivate init(_ problem: ResultRotationProblem) {
        switch problem {
        case .noNextKey:
            self.init(
                .failedPrecondition,
                "every published key signs already or has signed: add the next key to the configuration and reload",
                reason: "no_next_result_key")
        case .scheduled(_, let time):
            self.init(
                .failedPrecondition, "the newest key signs from \(time) on already; with now it signs at once",
                reason: "result_key_scheduled")
        }
    }
}
