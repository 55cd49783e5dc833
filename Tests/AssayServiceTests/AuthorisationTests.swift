import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import Foundation
import SwiftProtobuf
import Testing

@Suite("Authorisation")
struct AuthorisationTests {
    private static let denied = RPCError(.permissionDenied, "the caller may not do this", reason: "permission_denied")

    private func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }

    private func peer(uris: [String] = [], dns: [String] = []) -> RPCPeer {
        .tls(address: "192.0.2.1", port: 1, names: RPCPeerNames(uris: uris, dnsNames: dns))
    }

    /// The same caller by each way in which it can be recognised.
    private func peers(_ role: Role) throws -> [RPCPeer] {
        let number = try #require(Role.allCases.firstIndex(of: role))
        return [
            peer(UInt32(number)), peer(uris: ["spiffe://test/\(role)"]), peer(dns: ["\(role).test"]),
            peer(uris: ["urn:other", "spiffe://test/\(role)"], dns: ["other", "\(role).test"]),
        ]
    }

    /// The roles of each method, written a second time, so that a declaration is not compared with itself. A method that is missing
    /// here fails its test.
    private static func rolesOf(_ path: String) throws -> Set<Role> {
        let roles: Set<Role>? =
            switch path {
            case "/assay.v1.Attestation/IssueChallenge": [.verify, .provision]
            case "/assay.v1.Attestation/Verify", "/assay.v1.Attestation/Prepare": [.verify]
            case "/assay.v1.Devices/Get", "/assay.v1.Devices/List", "/assay.v1.Devices/Block", "/assay.v1.Devices/Unblock",
                "/assay.v1.Devices/ListBlocks", "/assay.v1.Devices/Flag", "/assay.v1.Devices/Unflag",
                "/assay.v1.Devices/Forget",
                "/assay.v1.Devices/Import":
                [.devices]
            case "/assay.v1.Audit/Read": [.observe]
            case "/assay.v1.Audit/GetClaims", "/assay.v1.Audit/ForgetClaims": [.devices]
            case "/assay.v1.Operations/Status", "/assay.v1.Operations/Metrics": [.observe]
            case "/assay.v1.Operations/Watch", "/assay.v1.Webhooks/List", "/assay.v1.Webhooks/Resend": [.operate]
            case "/assay.v1.Operations/WhoAmI": [.verify, .provision, .devices, .operate, .observe, .fleet, .enrol]
            case "/assay.v1.Feeds/List", "/assay.v1.Feeds/Read": [.observe]
            case "/assay.v1.Feeds/Load": [.operate]
            case "/assay.v1.Keys/Create", "/assay.v1.Keys/List", "/assay.v1.Keys/Revoke": [.operate]
            case "/assay.v1.Plugins/List", "/assay.v1.Plugins/ListQuarantine": [.observe]
            case "/assay.v1.Verdicts/List": [.operate]
            case "/assay.v1.Verdicts/Get": [.operate, .verify]
            case "/assay.v1.Verdicts/Find": [.verify]
            case "/assay.v1.Policies/List", "/assay.v1.Policies/Get", "/assay.v1.Policies/ListRecordings",
                "/assay.v1.Policies/ListDifferences":
                [.operate]
            case "/assay.v1.Policies/DeleteRecordings": [.operate, .devices]
            case "/assay.v1.Plugins/Enable", "/assay.v1.Plugins/Disable", "/assay.v1.Plugins/Reload",
                "/assay.v1.Plugins/ReadQuarantine", "/assay.v1.Plugins/ReleaseQuarantine":
                [.operate]
            case "/assay.v1.Provisioning/Issue", "/assay.v1.Provisioning/Renew": [.provision]
            case "/assay.v1.Provisioning/Revoke", "/assay.v1.Provisioning/GetCertificate",
                "/assay.v1.Provisioning/ListCertificates":
                [.provision, .devices]
            case "/assay.v1.Provisioning/GetAuthorities", "/assay.v1.Provisioning/GetRevocationList":
                [.verify, .provision, .devices, .operate, .observe, .fleet, .enrol]
            case "/assay.v1.Provisioning/ProvisionDevice": [.fleet]
            case "/assay.v1.Provisioning/AddEnrolments", "/assay.v1.Provisioning/ReadmitDevice",
                "/assay.v1.Provisioning/RemoveEnrolment", "/assay.v1.Provisioning/ListEnrolments":
                [.enrol]
            case "/assay.v1.Results/GetKeys", "/assay.v1.Results/GetStatusList":
                [.verify, .provision, .devices, .operate, .observe, .fleet, .enrol]
            case "/assay.v1.Uploads/Begin", "/assay.v1.Uploads/PutChunks", "/assay.v1.Uploads/Finalize",
                "/assay.v1.Uploads/Get",
                "/assay.v1.Uploads/Abort":
                [.verify]
            case "/assay.v1.Results/ListKeys": [.observe]
            case "/assay.v1.Results/Rotate": [.operate]
            default: nil
            }
        return try #require(roles, "\(path) needs its roles in this test")
    }

    /// One caller for each role, by its index in `Role.allCases`, a URI and a DNS name; user 100 has all roles for one app; user 200 has
    /// no role.
    private func harness() async throws -> ServiceHarness {
        var callers: [UInt32: Caller] = [
            100: Caller(name: "camera only", roles: Set(Role.allCases), apps: [.camera]),
            200: Caller(name: "nothing", roles: [], apps: nil),
        ]
        var (byURI, byDNSName): ([String: Caller], [String: Caller]) = ([:], [:])
        for (number, role) in Role.allCases.enumerated() {
            let caller = Caller(name: role.rawValue, roles: [role], apps: nil)
            callers[UInt32(number)] = caller
            byURI["spiffe://test/\(role)"] = caller
            byDNSName["\(role).test"] = caller
        }
        return try await ServiceHarness(callers: CallerDirectory(byUserID: callers, byURI: byURI, byDNSName: byDNSName))
    }

    /// A well-formed request for each method. A method without one fails its test.
    static func sample(_ path: String, app: String = "camera") throws -> [UInt8] {
        let message: (any SwiftProtobuf.Message)? =
            switch path {
            case "/assay.v1.Attestation/IssueChallenge":
                Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = (app, .assert) }
            case "/assay.v1.Attestation/Verify":
                Assay_V1_VerifyRequest.with {
                    ($0.app, $0.purpose) = (app, .assert)
                    $0.evidence = [.with { $0.appAttestAssertion.keyID = Data([1]) }]
                }
            case "/assay.v1.Devices/Get": Assay_V1_GetDeviceRequest.with { ($0.app, $0.keyID) = (app, Data([1])) }
            case "/assay.v1.Devices/List": Assay_V1_ListDevicesRequest.with { $0.app = app }
            case "/assay.v1.Devices/Block":
                Assay_V1_BlockRequest.with { ($0.app, $0.target.keyID, $0.reason) = (app, Data([1]), "test") }
            case "/assay.v1.Devices/Unblock": Assay_V1_UnblockRequest.with { ($0.app, $0.target.keyID) = (app, Data([1])) }
            case "/assay.v1.Devices/ListBlocks":
                Assay_V1_ListBlocksRequest.with { ($0.app, $0.target.keyID) = (app, Data([1])) }
            case "/assay.v1.Devices/Flag":
                Assay_V1_FlagDeviceRequest.with { ($0.app, $0.deviceID, $0.flag) = (app, Data(count: 16), "farm") }
            case "/assay.v1.Devices/Unflag":
                Assay_V1_UnflagDeviceRequest.with { ($0.app, $0.deviceID, $0.flag) = (app, Data(count: 16), "farm") }
            case "/assay.v1.Devices/Forget":
                Assay_V1_ForgetDeviceRequest.with { ($0.app, $0.deviceID) = (app, Data(count: 16)) }
            case "/assay.v1.Devices/Import":
                Assay_V1_ImportDevicesRequest.with {
                    $0.app = app
                    $0.devices = [.with { $0.appAttest.publicKey = Data([1]) }]
                }
            case "/assay.v1.Operations/Status": Assay_V1_StatusRequest()
            case "/assay.v1.Webhooks/List": Assay_V1_ListWebhooksRequest()
            case "/assay.v1.Webhooks/Resend": Assay_V1_ResendWebhookRequest.with { $0.name = "pager" }
            case "/assay.v1.Operations/Watch": Assay_V1_WatchRequest.with { $0.apps = [app] }
            case "/assay.v1.Operations/Metrics": Assay_V1_MetricsRequest()
            case "/assay.v1.Operations/WhoAmI": Assay_V1_WhoAmIRequest()
            case "/assay.v1.Audit/GetClaims": Assay_V1_GetAuditClaimsRequest.with { $0.app = app }
            case "/assay.v1.Audit/ForgetClaims":
                Assay_V1_ForgetAuditClaimsRequest.with { ($0.app, $0.deviceID) = (app, Data(count: 16)) }
            case "/assay.v1.Keys/Create": Assay_V1_CreateKeyRequest.with { ($0.name, $0.roles) = ("a", ["verify"]) }
            case "/assay.v1.Keys/List": Assay_V1_ListKeysRequest()
            case "/assay.v1.Keys/Revoke": Assay_V1_RevokeKeyRequest.with { $0.name = "a" }
            case "/assay.v1.Feeds/List": Assay_V1_ListFeedsRequest()
            case "/assay.v1.Feeds/Read": Assay_V1_ReadFeedRequest.with { $0.feed = "list" }
            case "/assay.v1.Feeds/Load": Assay_V1_LoadFeedRequest.with { $0.feed = "list" }
            case "/assay.v1.Audit/Read": Assay_V1_ReadAuditRequest.with { $0.app = app }
            case "/assay.v1.Verdicts/List": Assay_V1_ListVerdictsRequest.with { $0.app = app }
            case "/assay.v1.Verdicts/Get": Assay_V1_GetVerdictRequest.with { $0.requestID = Data(count: 16) }
            case "/assay.v1.Verdicts/Find":
                Assay_V1_FindVerdictsRequest.with { ($0.app, $0.payloadSha256) = (app, Data(count: 32)) }
            case "/assay.v1.Policies/List": Assay_V1_ListPoliciesRequest.with { $0.app = app }
            case "/assay.v1.Policies/Get": Assay_V1_GetPolicyRequest.with { $0.digest = Data(count: 32) }
            case "/assay.v1.Policies/ListRecordings": Assay_V1_ListRecordingsRequest.with { $0.app = app }
            case "/assay.v1.Policies/ListDifferences": Assay_V1_ListDifferencesRequest.with { $0.app = app }
            case "/assay.v1.Policies/DeleteRecordings":
                Assay_V1_DeleteRecordingsRequest.with { ($0.app, $0.deviceID) = (app, Data(count: 16)) }
            case "/assay.v1.Attestation/Prepare": Assay_V1_PrepareRequest.with { ($0.app, $0.format) = (app, "kiosk") }
            case "/assay.v1.Plugins/List": Assay_V1_ListPluginsRequest()
            case "/assay.v1.Plugins/Enable": Assay_V1_EnablePluginRequest.with { $0.id = "kiosk" }
            case "/assay.v1.Plugins/Disable": Assay_V1_DisablePluginRequest.with { $0.id = "kiosk" }
            case "/assay.v1.Plugins/Reload": Assay_V1_ReloadPluginsRequest()
            case "/assay.v1.Plugins/ListQuarantine": Assay_V1_ListQuarantineRequest()
            case "/assay.v1.Plugins/ReadQuarantine": Assay_V1_ReadQuarantineRequest.with { $0.digest = Data(count: 32) }
            case "/assay.v1.Plugins/ReleaseQuarantine": Assay_V1_ReleaseQuarantineRequest.with { $0.digest = Data(count: 32) }
            default: provisioningSample(path, app) ?? resultSample(path) ?? uploadSample(path, app)
            }
        return try #require(message, "\(path) needs a sample in this test").serializedBytes()
    }

    private static func provisioningSample(_ path: String, _ app: String) -> (any SwiftProtobuf.Message)? {
        switch path {
        case "/assay.v1.Provisioning/Issue":
            Assay_V1_IssueCertificateRequest.with {
                ($0.app, $0.csr) = (app, Data([1]))
                $0.evidence = [.with { $0.appAttestAssertion.keyID = Data([1]) }]
            }
        case "/assay.v1.Provisioning/Renew":
            Assay_V1_RenewCertificateRequest.with {
                ($0.app, $0.csr, $0.signature.keyID) = (app, Data([1]), Data(count: 32))
            }
        case "/assay.v1.Provisioning/Revoke":
            Assay_V1_RevokeCertificateRequest.with { ($0.app, $0.serial) = (app, Data([1])) }
        case "/assay.v1.Provisioning/GetCertificate":
            Assay_V1_GetCertificateRequest.with { ($0.app, $0.serial) = (app, Data([1])) }
        case "/assay.v1.Provisioning/ListCertificates": Assay_V1_ListCertificatesRequest.with { $0.app = app }
        case "/assay.v1.Provisioning/GetAuthorities": Assay_V1_GetAuthoritiesRequest()
        case "/assay.v1.Provisioning/GetRevocationList": Assay_V1_GetRevocationListRequest()
        case "/assay.v1.Provisioning/ProvisionDevice":
            Assay_V1_ProvisionDeviceRequest.with { ($0.app, $0.deviceSerial) = (app, "CAM-1") }
        case "/assay.v1.Provisioning/AddEnrolments":
            Assay_V1_AddEnrolmentsRequest.with { ($0.app, $0.serials) = (app, ["CAM-1"]) }
        case "/assay.v1.Provisioning/ReadmitDevice":
            Assay_V1_ReadmitDeviceRequest.with { ($0.app, $0.deviceSerial, $0.reason) = (app, "CAM-1", "test") }
        case "/assay.v1.Provisioning/RemoveEnrolment":
            Assay_V1_RemoveEnrolmentRequest.with { ($0.app, $0.serial) = (app, "CAM-1") }
        case "/assay.v1.Provisioning/ListEnrolments": Assay_V1_ListEnrolmentsRequest.with { $0.app = app }
        default: nil
        }
    }

    private static func uploadSample(_ path: String, _ app: String) -> (any SwiftProtobuf.Message)? {
        let id = Data(count: 16)
        return switch path {
        case "/assay.v1.Uploads/Begin":
            Assay_V1_BeginUploadRequest.with {
                ($0.app, $0.size, $0.chunkSize, $0.payloadSha256) = (app, 1, 65_536, Data(repeating: 1, count: 32))
            }
        case "/assay.v1.Uploads/PutChunks":
            Assay_V1_PutChunksRequest.with {
                ($0.app, $0.uploadID) = (app, id)
                $0.chunks = [.with { ($0.size, $0.sha256) = (1, Data(count: 32)) }]
            }
        case "/assay.v1.Uploads/Finalize":
            Assay_V1_FinalizeUploadRequest.with {
                ($0.app, $0.uploadID, $0.chunks, $0.payloadSha256) = (app, id, 1, Data(count: 32))
            }
        case "/assay.v1.Uploads/Get": Assay_V1_GetUploadRequest.with { ($0.app, $0.uploadID) = (app, id) }
        case "/assay.v1.Uploads/Abort": Assay_V1_AbortUploadRequest.with { ($0.app, $0.uploadID) = (app, id) }
        default: nil
        }
    }

    private static func resultSample(_ path: String) -> (any SwiftProtobuf.Message)? {
        switch path {
        case "/assay.v1.Results/GetKeys": Assay_V1_GetResultKeysRequest()
        case "/assay.v1.Results/ListKeys": Assay_V1_ListResultKeysRequest()
        case "/assay.v1.Results/Rotate": Assay_V1_RotateResultKeyRequest()
        case "/assay.v1.Results/GetStatusList": Assay_V1_GetStatusListRequest()
        default: nil
        }
    }

    private func error(_ harness: ServiceHarness, _ path: String, _ message: [UInt8], _ peer: RPCPeer) async throws -> RPCError?
    {
        guard case .failure(let error) = try #require(try await harness.ask(path, message, peer: peer)) else { return nil }
        return error
    }

    @Test("every method of the .proto files is declared, with a role, and no other method is")
    func declared() throws {
        let methods = try ProtoFiles.methods().map(\.path)
        #expect(methods.count >= 4)
        #expect(MethodDeclaration.all.map(\.path).sorted() == methods)
        #expect(MethodDeclaration.all.allSatisfy { !$0.roles.isEmpty }, "no caller may call a method without a role")
    }

    @Test("every declared method is served once, and no other method is")
    func served() async throws {
        let served = try await ServiceHarness().methods.map(\.path)
        #expect(served.sorted() == MethodDeclaration.all.map(\.path).sorted())
        let paths = Set(served)
        #expect(paths.count == served.count)
    }

    @Test("a method may be called with one of its roles and with no other role", arguments: MethodDeclaration.all)
    func roles(_ method: MethodDeclaration) async throws {
        let harness = try await harness()
        let roles = try Self.rolesOf(method.path)
        for role in Role.allCases {
            for peer in try peers(role) {
                let error = try await error(harness, method.path, try Self.sample(method.path), peer)
                if !roles.contains(role) {
                    #expect(error == Self.denied, "\(role) may call \(method.path) as \(peer)")
                } else if role != .provision {
                    // The purpose of the sample needs another role: see `purposes()`.
                    #expect(error?.code != .permissionDenied, "\(role) may not call \(method.path) as \(peer)")
                }
            }
        }
        #expect(try await error(harness, method.path, try Self.sample(method.path), peer(200)) == Self.denied)
    }

    @Test("an unknown peer may call no method", arguments: MethodDeclaration.all)
    func unknownPeers(_ method: MethodDeclaration) async throws {
        let harness = try await harness()
        let nameless: [RPCPeer] = [
            peer(4711), .tcp(address: "127.0.0.1", port: 1, isLoopback: true),
            .tcp(address: "192.0.2.1", port: 1, isLoopback: false),
            // A certificate of the right CA without a caller's name.
            peer(), peer(uris: ["spiffe://test/unknown"]), peer(dns: ["unknown.test"]),
        ]
        // With almost one, or with one in the wrong field.
        let almost = Role.allCases.flatMap { role -> [RPCPeer] in
            [
                peer(uris: ["spiffe://test/\(role)/"]), peer(uris: ["SPIFFE://test/\(role)"]), peer(uris: ["\(role).test"]),
                peer(dns: ["\(role).test."]), peer(dns: ["*.test"]), peer(dns: ["a.\(role).test"]),
                peer(dns: ["spiffe://test/\(role)"]), peer(dns: ["\(role).TEST"]),
            ]
        }
        // One that names two callers names none.
        let ofTwo = [
            peer(uris: ["spiffe://test/verify", "spiffe://test/devices"]),
            peer(uris: ["spiffe://test/observe"], dns: ["verify.test"]),
        ]
        for peer in nameless + almost + ofTwo {
            #expect(try await error(harness, method.path, try Self.sample(method.path), peer) == Self.denied)
            #expect(try await error(harness, method.path, [0xFF, 0xFF], peer) == Self.denied, "before a byte is looked at")
        }
    }

    @Test("the demo profile ends at the loopback interface", arguments: MethodDeclaration.all)
    func demo(_ method: MethodDeclaration) async throws {
        let harness = try await ServiceHarness()
        let away = RPCPeer.tcp(address: "192.0.2.1", port: 1, isLoopback: false)
        #expect(try await error(harness, method.path, try Self.sample(method.path), away) == Self.denied)
        #expect(
            try await error(harness, method.path, try Self.sample(method.path), ServiceHarness.loopback)?.code
                != .permissionDenied)
        #expect(try await error(harness, method.path, try Self.sample(method.path), peer(dns: ["localhost"])) == Self.denied)
    }

    @Test(
        "authentication can be left to the network, if the configuration says so, but not over TLS",
        arguments: MethodDeclaration.all)
    func network(_ method: MethodDeclaration) async throws {
        let directory = CallerDirectory(byUserID: [:], network: CallerDirectory.unauthenticated)
        let harness = try await ServiceHarness(callers: directory)
        for address in ["192.0.2.1", "127.0.0.1"] {
            let anyone = RPCPeer.tcp(address: address, port: 1, isLoopback: address == "127.0.0.1")
            #expect(try await error(harness, method.path, try Self.sample(method.path), anyone)?.code != .permissionDenied)
        }
        for unknown in [peer(1), peer(dns: ["unknown"])] {
            #expect(try await error(harness, method.path, try Self.sample(method.path), unknown) == Self.denied)
        }
    }

    @Test(
        "an unknown app and an app that is not the caller's get the same answer",
        arguments: MethodDeclaration.all.filter {
            ![
                API.status.path, API.listFeeds.path, API.readFeed.path, API.loadFeed.path, API.getAuthorities.path,
                API.getRevocationList.path, API.getVerdict.path, API.whoAmI.path, API.getPolicy.path, API.metrics.path,
            ].contains($0.path) && !$0.path.hasPrefix("/assay.v1.Plugins/") && !$0.path.hasPrefix("/assay.v1.Keys/")
                && !$0.path.hasPrefix("/assay.v1.Webhooks/") && !$0.path.hasPrefix("/assay.v1.Results/")
        })
    func apps(_ method: MethodDeclaration) async throws {
        let harness = try await harness()
        let foreign = try await error(harness, method.path, try Self.sample(method.path, app: "notes"), peer(100))
        let unknown = try await error(harness, method.path, try Self.sample(method.path, app: "no-such-app"), peer(100))
        #expect(foreign == Self.denied && unknown == Self.denied)
        let own = try await error(harness, method.path, try Self.sample(method.path, app: "camera"), peer(100))
        #expect(own?.code != .permissionDenied)
        #expect(harness.counters.counts.unavailable == 0)
    }

    @Test("a caller of every app is told that an app is unknown, and which one may be meant", arguments: MethodDeclaration.all)
    func unknownApp(_ method: MethodDeclaration) async throws {
        let harness = try await ServiceHarness()
        let namesApp =
            ["Attestation", "Devices", "Provisioning", "Uploads"].contains { method.path.hasPrefix("/assay.v1.\($0)/") }
            || [API.getAuditClaims.path, API.forgetAuditClaims.path, API.findVerdicts.path].contains(method.path)
        let belongsToAll = [API.getAuthorities.path, API.getRevocationList.path].contains(method.path)
        for (name, hint) in [("camra", "; did you mean \"camera\"?"), ("elsewhere", ", which has camera, notes")] {
            let message = try Self.sample(method.path, app: name)
            let error = try await error(harness, method.path, message, ServiceHarness.loopback)
            guard namesApp, !belongsToAll else {
                // Records outlive their app, so that a filter may name one that is not configured any more.
                #expect(error?.reason != "unknown_app")
                continue
            }
            #expect(
                error
                    == RPCError(.notFound, "unknown app: \"\(name)\" is not in the configuration\(hint)", reason: "unknown_app")
            )
        }
    }

    @Test("a challenge needs the role of its purpose")
    func purposes() async throws {
        let harness = try await harness()
        for (number, role) in Role.allCases.enumerated() {
            for purpose in Purpose.allCases {
                let message: [UInt8] = try Assay_V1_IssueChallengeRequest.with {
                    ($0.app, $0.purpose) = ("camera", purpose.message)
                }.serializedBytes()
                let answer = try await error(harness, API.issueChallenge.path, message, peer(UInt32(number)))
                let wanted: Role = purpose == .register || purpose == .assert ? .verify : .provision
                #expect(answer == (role == wanted ? nil : Self.denied), "\(role) \(purpose)")
            }
        }
    }

    @Test("garbage from a caller that may call a method is INVALID_ARGUMENT", arguments: MethodDeclaration.all)
    func garbage(_ method: MethodDeclaration) async throws {
        let harness = try await ServiceHarness()
        let error = try await error(harness, method.path, [0x0A, 0xFF], ServiceHarness.loopback)
        #expect(error?.code == .invalidArgument && error?.reason == "undecodable_message")
    }

    @Test("Verify refuses the purposes that lead to a certificate", arguments: [Purpose.provision, .renew])
    func verifyPurpose(_ purpose: Purpose) async throws {
        let harness = try await ServiceHarness()
        var request = try Handset().registration(try await harness.challenge(purpose))
        request.purpose = purpose
        let error = try await harness.failure(request)
        #expect(error?.code == .invalidArgument && error?.message.hasPrefix("purpose ") == true)
    }
}
