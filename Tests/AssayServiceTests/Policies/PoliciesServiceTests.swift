import AssayAPI
import AssayCore
import AssayRPC
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Texts of policies", .timeLimit(.minutes(30)))
struct PoliciesServiceTests {
    private static let (operating, cameraOnly) = (peer(1), peer(2))

    private static func peer(_ userID: UInt32) -> RPCPeer { .unix(userID: userID, groupID: 1, processID: 1) }

    private static let callers = CallerDirectory(byUserID: [
        1: Caller(name: "operator", roles: [.operate], apps: nil),
        2: Caller(name: "camera operator", roles: [.operate], apps: [.camera]),
    ])

    private func harness(_ policies: [StoredPolicy]) async throws -> ServiceHarness {
        let harness = try await ServiceHarness(callers: Self.callers)
        try await harness.ledger.keep(policies: policies)
        return harness
    }

    private func policy(_ number: UInt8, _ app: AppID = .camera, text: String = "app = camera\n") -> StoredPolicy {
        StoredPolicy(
            digest: [UInt8](repeating: number, count: 32), app: app, text: text,
            firstSeen: Timestamp(unixSeconds: 1_776_124_800 + Int64(number)))
    }

    private func get(
        _ harness: ServiceHarness, _ digest: [UInt8], offset: Int = 0, _ peer: RPCPeer = operating
    ) async throws -> Assay_V1_Policy {
        try await harness.call(
            API.getPolicy, .with { ($0.digest, $0.offset) = (Data(digest), UInt32(offset)) }, peer: peer)
    }

    private func refusal(_ body: () async throws -> Void) async throws -> RPCError {
        do {
            try await body()
        } catch let error as RPCError {
            return error
        }
        throw ContractViolation("the call was answered")
    }

    @Test("A policy is found by the first bytes of its digest, and says whether it is in force")
    func get() async throws {
        let inForce = try AppProfile.testing(.camera).policyDigest
        let current = StoredPolicy(digest: inForce, app: .camera, text: "app = camera\n", firstSeen: .distantPast)
        let harness = try await harness([policy(1), current])
        let found = try await get(harness, [1, 1, 1, 1])
        #expect(Array(found.digest) == policy(1).digest && found.app == "camera" && found.text == "app = camera\n")
        #expect(found.size == 13 && !found.inForce && found.firstSeenUnixMs == policy(1).firstSeen.unixMilliseconds)
        #expect(try await get(harness, inForce).inForce)
    }

    @Test("A long text comes in parts that make the whole, and an offset behind its end is refused")
    func parts() async throws {
        let text = (0..<60_000).map { "key\($0) = value\n" }.joined()
        let harness = try await harness([policy(1, text: text)])
        var read = ""
        var calls = 0
        repeat {
            let part = try await get(harness, [1, 1, 1, 1], offset: read.utf8.count)
            #expect(part.size == UInt32(text.utf8.count) && !part.text.isEmpty)
            read += part.text
            calls += 1
        } while read.utf8.count < text.utf8.count && calls < 10
        #expect(read == text && calls == 2)
        #expect(try await get(harness, [1, 1, 1, 1], offset: text.utf8.count).text.isEmpty)
        let behind = try await refusal { _ = try await get(harness, [1, 1, 1, 1], offset: text.utf8.count + 1) }
        #expect(behind.code == .invalidArgument)
    }

    @Test("Too few bytes, too many, an unknown digest and one that several policies begin with are told apart")
    func refusals() async throws {
        var other = [UInt8](repeating: 1, count: 32)
        other[31] = 2
        let harness = try await harness([
            policy(1), StoredPolicy(digest: other, app: .camera, text: "x", firstSeen: .distantPast),
        ])
        for bytes in [[], [1, 1, 1], [UInt8](repeating: 1, count: 33)] {
            #expect(try await refusal { _ = try await get(harness, bytes) }.code == .invalidArgument, "\(bytes.count) bytes")
        }
        let ambiguous = try await refusal { _ = try await get(harness, [1, 1, 1, 1]) }
        #expect(ambiguous.code == .failedPrecondition && ambiguous.reason == "ambiguous_policy")
        let unknown = try await refusal { _ = try await get(harness, [9, 9, 9, 9]) }
        #expect(unknown.code == .notFound && unknown.reason == "unknown_policy")
    }

    @Test("Policies of apps that are not the caller's are neither listed nor shown, like unknown ones")
    func foreign() async throws {
        let harness = try await harness([policy(1), policy(2, .notes)])
        let foreign = try await refusal { _ = try await get(harness, policy(2).digest, Self.cameraOnly) }
        let unknown = try await refusal { _ = try await get(harness, policy(7).digest, Self.cameraOnly) }
        #expect(foreign == unknown)
        let listed = try await harness.call(API.listPolicies, .init(), peer: Self.cameraOnly)
        let firstBytes = listed.policies.map { $0.digest.first }
        #expect(firstBytes == [1])
    }

    @Test("Policies are listed the newest first, page by page and without texts, of one app or of all")
    func list() async throws {
        let harness = try await harness((1...5).map { policy($0, $0 == 3 ? .notes : .camera) })
        var (numbers, token) = ([UInt8](), Data())
        repeat {
            let page = try await harness.call(
                API.listPolicies, .with { ($0.pageSize, $0.pageToken) = (2, token) }, peer: Self.operating)
            #expect(page.policies.count <= 2 && page.policies.allSatisfy { $0.text.isEmpty && $0.size == 13 })
            numbers += page.policies.compactMap(\.digest.first)
            token = page.nextPageToken
        } while !token.isEmpty
        #expect(numbers == [5, 4, 3, 2, 1])
        let notes = try await harness.call(API.listPolicies, .with { $0.app = "notes" }, peer: Self.operating)
        let ofNotes = notes.policies.map { $0.digest.first }
        #expect(ofNotes == [3])
        let first = try await harness.call(API.listPolicies, .with { $0.pageSize = 2 }, peer: Self.operating)
        let elsewhere = try await refusal {
            _ = try await harness.call(
                API.listPolicies, .with { ($0.app, $0.pageToken) = ("camera", first.nextPageToken) }, peer: Self.operating)
        }
        #expect(elsewhere.code == .invalidArgument)
    }
}
