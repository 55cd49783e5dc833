package import AssayAPI
package import AssayCore
import AssayRPC
import SwiftProtobuf

/// `assay.v1.Keys`: API keys of callers.
package struct KeysService: Sendable {
    private let ledger: any CallerKeyRegistry
    private let directory: KeyDirectory
    private let rule: KeyRule?
    private let clock: any WallClock
    private let requestLog: RequestLog

    /// The lifetime of a key that names none, in milliseconds: 90 days.
    package static let usualLifetime: Int64 = 90 * 86_400_000

    package init(
        ledger: any CallerKeyRegistry, directory: KeyDirectory, rule: KeyRule?, clock: any WallClock, requestLog: RequestLog
    ) {
        (self.ledger, self.directory, self.rule) = (ledger, directory, rule)
        (self.clock, self.requestLog) = (clock, requestLog)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.createKey) { caller, request in try await create(request, caller) },
            .unary(API.listKeys) { _, _ in
                let keys = try await ledger.callerKeys()
                return .with { $0.keys = keys.map { message(of: $0) } }
            },
            .unary(API.revokeKey) { caller, request in try await revoke(request, caller) },
        ]
    }

    private func create(_ request: Assay_V1_CreateKeyRequest, _ caller: Caller) async throws -> Assay_V1_CreateKeyResponse {
        guard let rule else { throw RPCError.keysNotConfigured }
        guard CallerKey.isName(request.name) else { throw RequestError("name", "must be of the form [a-z0-9._-]{1,64}") }
        try request.reason.check("reason", limit: DevicesService.reasonLimit)
        var roles: [String] = []
        for text in request.roles where !roles.contains(text) {
            guard let role = Role(rawValue: text), rule.roles.contains(role) else {
                throw RequestError("roles", "must be among those that \"callers.keys\" allows")
            }
            roles.append(text)
        }
        guard !roles.isEmpty else { throw RequestError("roles", "must name a role") }
        var apps: [AppID] = []
        for text in request.apps {
            let app = try AppID(field: text)
            guard rule.apps?.contains(app) ?? true else {
                throw RequestError("apps", "must be among those that \"callers.keys\" allows")
            }
            if !apps.contains(app) { apps.append(app) }
        }
        let lifetime =
            request.lifetimeMs == 0 ? min(Self.usualLifetime, rule.longestLifetime) : Int64(clamping: request.lifetimeMs)
        guard lifetime <= rule.longestLifetime else {
            throw RequestError(
                "lifetime_ms", "must be at most \(rule.longestLifetime), which is \(DurationText.exact(rule.longestLifetime))")
        }
        let (now, key) = (clock.now(), APIKey.random())
        let record = CallerKey(
            name: request.name, hash: APIKey.hash(of: key), roles: roles, apps: apps.isEmpty ? nil : apps, createdAt: now,
            createdBy: caller.name, expiry: now.adding(milliseconds: lifetime))
        guard try await ledger.add(record, ChangeContext(.caller(caller.name), at: now, reason: request.reason)) else {
            // A ledger refuses for two reasons. A key that was added meanwhile changes only the words.
            let isTaken = try await ledger.callerKeys().contains { $0.name == record.name }
            throw isTaken ? RPCError.keyNameTaken : .tooManyKeys
        }
        directory.put(record)
        requestLog.changed("created an API key", by: caller, ["key": record.name])
        return .with { ($0.key, $0.record) = (key, message(of: record)) }
    }

    private func revoke(_ request: Assay_V1_RevokeKeyRequest, _ caller: Caller) async throws -> Assay_V1_CallerKey {
        try request.reason.check("reason", limit: DevicesService.reasonLimit)
        let context = ChangeContext(.caller(caller.name), at: clock.now(), reason: request.reason)
        guard let key = try await ledger.revokeCallerKey(request.name, context) else { throw RPCError.unknownKey }
        directory.put(key)
        if key.revokedAt == context.time { requestLog.changed("revoked an API key", by: caller, ["key": key.name]) }
        return message(of: key)
    }

    private func message(of key: CallerKey) -> Assay_V1_CallerKey {
        .with {
            ($0.name, $0.roles, $0.createdBy) = (key.name, key.roles, key.createdBy)
            ($0.apps, $0.allApps) = (key.apps?.map(\.text) ?? [], key.apps == nil)
            $0.createdAtUnixMs = key.createdAt.unixMilliseconds
            $0.expiresAtUnixMs = key.expiry.unixMilliseconds
            $0.revokedAtUnixMs = key.revokedAt?.unixMilliseconds ?? 0
            $0.usable = key.isGood(at: clock.now()) && rule.map { !$0.caller(with: key).roles.isEmpty } ?? false
        }
    }
}

extension RPCError {
    static let keysNotConfigured = RPCError(
        .failedPrecondition, "the configuration has no \"callers.keys\": callers have no API keys",
        reason: "keys_not_configured")
    static let keyNameTaken = RPCError(
        .alreadyExists, "an API key of that name is on record; one that is revoked or has expired keeps its name",
        reason: "key_name_taken")
    static let tooManyKeys = RPCError(
        .failedPrecondition,
        "the ledger has \(CallerKey.limit) API keys, as many as it holds, revoked and expired ones included",
        reason: "too_many_keys")
    static let unknownKey = RPCError(.notFound, "no API key has that name", reason: "unknown_key")
}
