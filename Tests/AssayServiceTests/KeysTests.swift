import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Logging
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("API keys")
struct KeysTests {
    private static let unix = RPCPeer.unix(userID: 7, groupID: 1, processID: 1)
    private static let tls = RPCPeer.tls(address: "192.0.2.1", port: 1, names: RPCPeerNames(uris: [], dnsNames: []))
    private static let `operator` = RPCPeer.unix(userID: 1, groupID: 1, processID: 1)

    private let rule = KeyRule(roles: [.verify, .observe], apps: [.camera], longestLifetime: 86_400_000)

    private func harness(_ rule: KeyRule?, log: RequestLog = .closed) async throws -> ServiceHarness {
        let callers = CallerDirectory(
            byUserID: [
                1: Caller(name: "operator", roles: [.operate], apps: nil),
                2: Caller(name: "some", roles: [.operate], apps: [.camera]),
            ], keys: rule)
        return try await ServiceHarness(callers: callers, requestLog: log)
    }

    private func create(
        _ harness: ServiceHarness, _ name: String = "uploads", roles: [String] = ["verify"], apps: [String] = [],
        lifetime: UInt64 = 0, peer: RPCPeer = Self.operator
    ) async throws -> Assay_V1_CreateKeyResponse {
        try await harness.call(
            API.createKey, .with { ($0.name, $0.roles, $0.apps, $0.lifetimeMs) = (name, roles, apps, lifetime) }, peer: peer)
    }

    private func failure(_ body: () async throws -> Void) async throws -> RPCError? {
        do {
            try await body()
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    private func showing(_ key: String, _ harness: ServiceHarness, at peer: RPCPeer = Self.tls) -> RPCPeer? {
        try? harness.access.identify(peer, "Bearer \(key)").get()
    }

    @Test("a key that was created lets its caller in over TLS and at a Unix socket, under its name, roles and apps")
    func use() async throws {
        let harness = try await harness(rule)
        let made = try await create(harness)
        #expect(made.key.hasPrefix("assay_") && made.key.utf8.count == 49)
        for origin in [Self.tls, Self.unix] {
            let peer = try #require(showing(made.key, harness, at: origin))
            #expect(peer == .key(name: "uploads", origin: origin))
            #expect(harness.access.caller(peer) == "key:uploads")
            let answer = try await harness.call(API.whoAmI, Assay_V1_WhoAmIRequest(), peer: peer)
            #expect(answer.name == "key:uploads" && answer.recognisedBy == "key" && answer.mark == "uploads")
            #expect(answer.roles == ["verify"] && answer.apps == ["camera"] && !answer.allApps)
            _ = try await harness.challenge(.assert, peer: peer)
            #expect(
                try await failure { _ = try await harness.challenge(.assert, app: .notes, peer: peer) }?.code
                    == .permissionDenied)
            #expect(harness.access.refusal(peer, API.status.path)?.code == .permissionDenied)
            #expect(harness.access.refusal(peer, API.verify.path) == nil)
            #expect(try harness.access.identify(origin, "bEARER \(made.key)").get() == peer, "the scheme is of any case")
        }
        #expect(
            harness.access.refusal(Self.tls, API.verify.path)?.code == .permissionDenied, "without the key there is no caller")
    }

    @Test("two keys differ, and the ledger holds neither")
    func secrecy() async throws {
        let harness = try await harness(rule)
        let (one, two) = (try await create(harness, "one").key, try await create(harness, "two").key)
        #expect(one != two)
        let stored = try await harness.ledger.callerKeys()
        #expect(stored.map(\.hash) == [APIKey.hash(of: one), APIKey.hash(of: two)])
        let records = harness.ledger.memory.auditChanges.map(\.change)
        #expect(records.map(\.kind) == [.createKey, .createKey] && records.map(\.name) == ["one", "two"])
        let listed = try await harness.call(API.listKeys, Assay_V1_ListKeysRequest(), peer: Self.operator)
        let bytes: [UInt8] = try listed.serializedBytes()
        #expect(
            listed.keys.map(\.name) == ["one", "two"] && listed.keys.allSatisfy { $0.usable && $0.createdBy == "operator" })
        #expect(!bytes.indices.contains { bytes[$0...].starts(with: stored[0].hash) }, "not even the hash is listed")
    }

    @Test("a key in clear, an altered one, one of another form and one that does not exist are refused alike")
    func refused() async throws {
        let harness = try await harness(rule)
        let key = try await create(harness).key
        let clear: [RPCPeer] = [
            .tcp(address: "127.0.0.1", port: 1, isLoopback: true), .tcp(address: "192.0.2.1", port: 1, isLoopback: false),
        ]
        for peer in clear { #expect(harness.access.identify(peer, "Bearer \(key)") == .failure(.credentialRefused)) }
        var altered = Array(key)
        altered[20] = altered[20] == "A" ? "B" : "A"
        for (number, text) in [
            "Bearer \(String(altered))", key, "bearer\u{0}\(key)", "Bearer\t\(key)", "Basic \(key)", "Bearer  \(key)",
            "Bearer \(key) ",
            "Bearer \(key)A",
            "Bearer " + key.dropLast(), "", "Bearer ", "Bearer assay_" + String(repeating: "é", count: 43),
        ].enumerated() {
            let peer = RPCPeer.tls(address: "192.0.2.\(number)", port: 1, names: RPCPeerNames(uris: [], dnsNames: []))
            #expect(harness.access.identify(peer, text) == .failure(.credentialRefused), "\(text)")
        }
    }

    @Test("a revoked key is refused at once, on connections that showed it before too, and its name is not used again")
    func revoked() async throws {
        let harness = try await harness(rule)
        let key = try await create(harness).key
        let peer = try #require(showing(key, harness))
        _ = try await harness.challenge(.assert, peer: peer)
        let revoked = try await harness.call(
            API.revokeKey, .with { ($0.name, $0.reason) = ("uploads", "lost") }, peer: Self.operator)
        #expect(revoked.revokedAtUnixMs != 0 && !revoked.usable)
        #expect(try await failure { _ = try await harness.challenge(.assert, peer: peer) }?.code == .permissionDenied)
        #expect(showing(key, harness) == nil)
        let taken = try await failure { _ = try await create(harness) }
        #expect(taken?.reason == "key_name_taken" && taken?.code == .alreadyExists)
        #expect(taken?.message == "an API key of that name is on record; one that is revoked or has expired keeps its name")
        #expect(harness.ledger.memory.auditChanges.map(\.change.kind) == [.createKey, .revokeKey])
        let again = try await harness.call(API.revokeKey, .with { $0.name = "uploads" }, peer: Self.operator)
        #expect(again == revoked && harness.ledger.memory.auditChanges.count == 2)
        #expect(
            try await failure { _ = try await harness.call(API.revokeKey, .with { $0.name = "x" }, peer: Self.operator) }?.code
                == .notFound)
    }

    @Test("a ledger that holds all the keys that it may refuses one more, and says why; a name on record is still called taken")
    func full() async throws {
        let harness = try await harness(rule)
        let now = ServiceHarness.opening
        for number in 1...CallerKey.limit {
            let key = CallerKey(
                name: "key-\(number)", hash: APIKey.hash(of: "\(number)"), roles: ["verify"], apps: nil, createdAt: now,
                createdBy: "operator", expiry: now.adding(milliseconds: 1))
            try #require(try await harness.ledger.add(key, ChangeContext(.caller("operator"), at: now, reason: "")))
        }
        let refused = try await failure { _ = try await create(harness) }
        #expect(refused?.reason == "too_many_keys" && refused?.code == .failedPrecondition)
        #expect(refused?.message == "the ledger has 10000 API keys, as many as it holds, revoked and expired ones included")
        #expect(try await failure { _ = try await create(harness, "key-1") }?.reason == "key_name_taken")
    }

    @Test("a key ends with its lifetime, which the configuration bounds")
    func expiry() async throws {
        let harness = try await harness(rule)
        #expect(try await create(harness, "usual").record.expiresAtUnixMs == harness.clock.now().unixMilliseconds + 86_400_000)
        let key = try await create(harness, "short", lifetime: 1000).key
        let peer = try #require(showing(key, harness))
        harness.clock.advance(milliseconds: 999)
        _ = try await harness.challenge(.assert, peer: peer)
        harness.clock.advance(milliseconds: 1)
        #expect(try await failure { _ = try await harness.challenge(.assert, peer: peer) }?.code == .permissionDenied)
        #expect(showing(key, harness) == nil)
        #expect(try await failure { _ = try await create(harness, "long", lifetime: 86_400_001) }?.reason == "invalid_request")
    }

    @Test("no key has more than the configuration allows, when it is created or later")
    func scope() async throws {
        let harness = try await harness(rule)
        for (roles, apps) in [(["operate"], []), (["verify", "fleet"], []), (["none"], []), ([], []), (["verify"], ["notes"])] {
            #expect(try await failure { _ = try await create(harness, roles: roles, apps: apps) }?.reason == "invalid_request")
        }
        for name in ["", "A", "a b", "key:a", String(repeating: "a", count: 65)] {
            #expect(try await failure { _ = try await create(harness, name) }?.reason == "invalid_request")
        }
        let key = CallerKey(
            name: "k", hash: [UInt8](repeating: 1, count: 32), roles: ["verify", "observe"], apps: nil,
            createdAt: .distantPast, createdBy: "o", expiry: .distantPast)
        let narrow = KeyRule(roles: [.observe, .operate], apps: [.notes], longestLifetime: 1).caller(with: key)
        #expect(narrow.roles == [.observe] && narrow.apps == [.notes])
    }

    @Test("keys are made by callers with the role operate for all apps, and only where the configuration allows keys")
    func permission() async throws {
        let allowed = try await harness(rule)
        let some = RPCPeer.unix(userID: 2, groupID: 1, processID: 1)
        #expect(try await failure { _ = try await create(allowed, peer: some) }?.code == .permissionDenied)
        let none = try await harness(nil)
        #expect(try await failure { _ = try await create(none) }?.reason == "keys_not_configured")
        let key = try await create(allowed).key
        #expect(none.access.identify(Self.tls, "Bearer \(key)") == .failure(.credentialRefused))
    }

    @Test("a good key is taken whatever others at its address have tried")
    func failures() async throws {
        let harness = try await harness(rule)
        let key = try await create(harness).key
        for _ in 0..<30 { #expect(showing("assay_" + String(repeating: "A", count: 43), harness) == nil) }
        for _ in 0..<20 { #expect(showing(key, harness) != nil) }
    }

    @Test("a refused key is logged with its reason and without the key")
    func log() async throws {
        let book = LogBook()
        let harness = try await harness(rule, log: RequestLog(logger: book.logger))
        let key = try await create(harness).key
        _ = try await harness.call(API.revokeKey, .with { $0.name = "uploads" }, peer: Self.operator)
        #expect(showing(key, harness) == nil)
        #expect(book.lines.contains { $0.contains("revoked_key") })
        #expect(!book.lines.contains { $0.contains(key) || $0.contains(key.dropFirst(6)) })
    }
}
