import AppAttest
import AssayCertificates
import AssayCore
import Crypto
import Foundation
import Testing

/// One vector file of the shared collection: evidence, its expectation, and the outcome.
struct Vector: Sendable, CustomTestStringConvertible {
    struct Policy: Decodable, Sendable {
        var trustedRoots: [String]?
        var extraRootsPem: [String]?
        var allowedValidationCategories: [UInt32]?
        var allowedBundleVersions: [String]?
        var requireExtensions: Bool?
    }

    struct Input: Decodable, Sendable {
        var attestationB64: String?
        var assertionB64: String?
        var keyIdB64: String?
        var clientDataHashB64: String?
        var challengeB64: String?
        var clientDataB64: String?
        var teamId: String?
        var bundleId: String?
        var appIdHashB64: String?
        var environment: String?
        var publicKeyB64: String?
        var previousCounter: UInt32?
        var policy: Policy?
    }

    struct Expect: Decodable, Sendable {
        var verdict: String
        var reason: String?
        var reasonAlternatives: [String]?
        var facts: [String: Fact]?
    }

    enum Fact: Decodable, Sendable, Equatable {
        case null, boolean(Bool), integer(Int64), text(String), texts([String])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let boolean = try? value.decode(Bool.self) {
                self = .boolean(boolean)
            } else if let integer = try? value.decode(Int64.self) {
                self = .integer(integer)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else {
                self = .texts(try value.decode([String].self))
            }
        }
    }

    private struct File: Decodable {
        var id: String
        var kind: String
        var verifyAt: Date
        var input: Input
        var expect: Expect
        var synthetic: Bool?
    }

    let id: String
    let kind: String
    let now: Timestamp
    let input: Input
    let expect: Expect
    /// No vendor signed any part of it: its receipt is a placeholder.
    let isSynthetic: Bool

    var testDescription: String { id }

    /// The collection; `nil` if it is not checked out: `ASSAY_VECTORS`, or `shared/vectors` beside the package.
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["ASSAY_VECTORS"].map { URL(filePath: $0) }
        let candidates = [named, package.appending(path: "../shared/vectors")].compactMap { $0 }
        let found = candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "app-attest").path) }
        if found == nil { print("The vectors are not here (set ASSAY_VECTORS); the suites that need them are skipped.") }
        return found
    }()

    static func all(_ kind: String) -> [Vector] {
        guard let folder = folder?.appending(path: "app-attest") else { return [] }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".json") }
        return names.sorted().compactMap { name in
            guard let data = try? Data(contentsOf: folder.appending(path: name)),
                let file = try? decoder.decode(File.self, from: data), file.kind == kind
            else { return nil }
            let now = Timestamp(unixSeconds: Int64(file.verifyAt.timeIntervalSince1970))
            return Vector(
                id: file.id, kind: file.kind, now: now, input: file.input, expect: file.expect,
                isSynthetic: file.synthetic ?? false)
        }
    }

    static func named(_ id: String) -> Vector? {
        (all("app-attest.attestation") + all("app-attest.assertion")).first { $0.id == id }
    }
}

func bytes(_ base64: String?) -> [UInt8] { base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) } ?? [] }

extension Vector {
    var anchors: [TrustAnchor] {
        get throws {
            let groups = input.policy?.trustedRoots ?? ["apple-app-attest"]
            let extra = try (input.policy?.extraRootsPem ?? []).map {
                try TrustAnchor(name: "extra", pem: $0, simulated: true)
            }
            return (groups.contains("apple-app-attest") ? TrustAnchor.appAttest : []) + extra
        }
    }

    var policy: AppAttestPolicy {
        AppAttestPolicy(
            allowedValidationCategories: input.policy?.allowedValidationCategories.map { Set($0) },
            allowedBundleVersions: input.policy?.allowedBundleVersions.map { Set($0.map { OpaqueText($0) }) },
            requireExtensions: input.policy?.requireExtensions ?? false, counterRule: .strictlyIncreasing)
    }

    var clientDataHash: [UInt8] {
        input.clientDataHashB64 != nil
            ? bytes(input.clientDataHashB64) : Array(SHA256.hash(data: bytes(input.challengeB64 ?? input.clientDataB64)))
    }

    var environment: AppAttestEnvironment { input.environment.flatMap { AppAttestEnvironment(rawValue: $0) } ?? .production }

    var identity: AppAttestIdentity? {
        if let team = input.teamId, let bundle = input.bundleId {
            return AppAttestIdentity(appID: "\(team).\(bundle)", platform: .iOS, environments: [environment])
        }
        return AppAttestIdentity(rpIDHash: bytes(input.appIdHashB64), platform: .iOS, environments: [environment])
    }

    func evidence(body: [UInt8]? = nil) -> Evidence {
        if kind == "app-attest.attestation" {
            return Evidence(
                format: AppAttestAttestationVerifier.format, keyID: bytes(input.keyIdB64),
                body: body ?? bytes(input.attestationB64))
        }
        return Evidence(
            format: AppAttestAssertionVerifier.format, keyID: Array(SHA256.hash(data: publicKey)),
            body: body ?? bytes(input.assertionB64))
    }

    /// X9.63; a SubjectPublicKeyInfo ends with the point.
    var publicKey: [UInt8] { Array(bytes(input.publicKeyB64).suffix(65)) }

    func verifier(links: LinkCache = LinkCache()) throws -> any EvidenceVerifier {
        let identities = [identity].compactMap { $0 }
        if kind == "app-attest.attestation" {
            return AppAttestAttestationVerifier(
                identities: identities, anchors: try anchors, receiptAnchors: TrustAnchor.appAttestReceipt, policy: policy,
                links: links, attribution: isSynthetic ? .presumed : .vouched)
        }
        return AppAttestAssertionVerifier(
            identities: identities, anchors: try anchors, policy: policy, attribution: .presumed)
    }

    /// The device as its attestation would have registered it.
    func device(claims extra: Claims = Claims()) -> Device? {
        guard kind == "app-attest.assertion", let app = AppID("vectors"), let identity else { return nil }
        var claims = Claims()
        claims.add("rp_id_hash", .bytes(identity.rpIDHash))
        claims.add("platform", .text("ios"))
        claims.add(contentsOf: extra)
        return Device(
            id: DeviceID.random(), app: app, subject: nil,
            registration: Registration(
                format: AppAttestAttestationVerifier.format, keyID: Array(SHA256.hash(data: publicKey)), publicKey: publicKey,
                environment: environment.rawValue, anchor: TrustAnchor.appAttest.first?.publicKeySHA256 ?? [], claims: claims,
                chainSerials: [], receipt: [], simulated: false),
            registeredAt: now, counter: input.previousCounter ?? 0)
    }

    func context() -> AppraisalContext {
        AppraisalContext(binding: Binding(callerOwned: clientDataHash), facts: Facts(device: device()), now: now)
    }
}
