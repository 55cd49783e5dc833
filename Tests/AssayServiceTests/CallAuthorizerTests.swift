import AssayAPI
import AssayCore
import AssayRPC
import Testing

@testable import AssayService

@Suite("Call authorizer")
struct CallAuthorizerTests {
    private static let uploads = Caller(name: "uploads", roles: [.verify], apps: nil)

    private func authorizer(loopback: Caller? = nil, network: Caller? = nil) -> CallAuthorizer {
        CallAuthorizer(
            callers: CallerDirectory(
                byUserID: [7: Self.uploads], byURI: ["spiffe://uploads": Self.uploads],
                byDNSName: ["uploads.test": Self.uploads], loopback: loopback, network: network),
            apps: AppDirectory([]))
    }

    private func tls(uris: [String] = [], dns: [String] = []) -> RPCPeer {
        .tls(address: "192.0.2.1", port: 1, names: RPCPeerNames(uris: uris, dnsNames: dns))
    }

    @Test("a caller has one name for all ways to recognise it, and a caller of the demo profile has none")
    func names() {
        let authorizer = authorizer(loopback: CallerDirectory.demo, network: CallerDirectory.unauthenticated)
        let known = [
            RPCPeer.unix(userID: 7, groupID: 1, processID: 1), tls(uris: ["spiffe://uploads"]), tls(dns: ["uploads.test"]),
        ]
        for peer in known { #expect(authorizer.name(of: peer) == "uploads") }
        let others = [
            RPCPeer.unix(userID: 8, groupID: 1, processID: 1), tls(dns: ["other.test"]),
            .tcp(address: "127.0.0.1", port: 1, isLoopback: true), .tcp(address: "192.0.2.1", port: 1, isLoopback: false),
        ]
        for peer in others { #expect(authorizer.name(of: peer) == nil) }
    }

    @Test("a peer without a role of the method is refused before its request is read", arguments: MethodDeclaration.all)
    func refusals(_ method: MethodDeclaration) {
        let authorizer = authorizer()
        let known = RPCPeer.unix(userID: 7, groupID: 1, processID: 1)
        #expect(authorizer.refusal(of: known, calling: method.path) == (method.roles.contains(.verify) ? nil : .denied))
        #expect(authorizer.refusal(of: tls(dns: ["other.test"]), calling: method.path) == .denied)
        #expect(authorizer.refusal(of: known, calling: method.path + "x") == .denied, "what is not declared is not permitted")
    }

    @Test("a caller that is limited to some apps may not change what belongs to all, which is known before its request is read")
    func allApps() {
        let authorizer = CallAuthorizer(
            callers: CallerDirectory(byUserID: [
                1: Caller(name: "operator", roles: [.operate], apps: nil),
                2: Caller(name: "operator of one app", roles: [.operate], apps: [.camera]),
            ]), apps: AppDirectory([]))
        func refusal(_ user: UInt32) -> RPCError? {
            authorizer.refusal(of: .unix(userID: user, groupID: 1, processID: 1), calling: API.loadFeed.path)
        }
        #expect(refusal(1) == nil && refusal(2) == .denied)
        let forAllApps = MethodDeclaration.all.filter(\.concernsAllApps).map(\.path)
        #expect(
            forAllApps == [
                API.metrics.path, API.createKey.path, API.listKeys.path, API.revokeKey.path, API.listWebhooks.path,
                API.resendWebhook.path, API.loadFeed.path, API.enablePlugin.path, API.disablePlugin.path,
                API.reloadPlugins.path,
                API.readQuarantine.path, API.releaseQuarantine.path, API.rotateResultKey.path,
            ])
    }
}
