import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Listing of blocks")
struct BlockListingTests {
    private static let anna = Data("anna".utf8)

    private func list(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_ListBlocksRequest) -> Void = { _ in }
    ) async throws -> Assay_V1_ListBlocksResponse {
        var request = Assay_V1_ListBlocksRequest.with { $0.app = "camera" }
        change(&request)
        return try await harness.call(API.listBlocks, request)
    }

    /// What is blocked, by page.
    private func pages(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_ListBlocksRequest) -> Void
    ) async throws -> [[Assay_V1_BlockRecord]] {
        var pages: [[Assay_V1_BlockRecord]] = []
        var token = Data()
        repeat {
            let page = try await list(harness) { request in
                change(&request)
                request.pageToken = token
            }
            pages.append(page.blocks)
            token = page.nextPageToken
            #expect(token.count <= 128)
        } while !token.isEmpty && pages.count < 20
        return pages
    }

    private func block(
        _ harness: ServiceHarness, app: String = "camera", reason: String = "stolen",
        _ target: (inout Assay_V1_BlockTarget) -> Void
    ) async throws {
        let request = Assay_V1_BlockRequest.with {
            ($0.app, $0.reason) = (app, reason)
            target(&$0.target)
        }
        _ = try await harness.call(API.block, request)
    }

    @Test("shows what Block was told, why and since when, also of what was never seen")
    func shown() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        try await block(harness, reason: "lost") { $0.deviceID = Data(device.bytes) }
        harness.clock.advance(milliseconds: 5)
        try await block(harness, reason: "fraud") { $0.subject = Self.anna }
        try await block(harness, reason: "leaked") { $0.keyID = Data([1, 2, 3]) }
        let blocks = try await list(harness).blocks
        #expect(blocks.map(\.reason) == ["lost", "fraud", "leaked"])
        #expect(blocks.map(\.sinceUnixMs) == [0, 5, 5].map { ServiceHarness.opening.unixMilliseconds + $0 })
        #expect(blocks.first?.what == .deviceID(Data(device.bytes)) && blocks.last?.what == .keyID(Data([1, 2, 3])))
        let hash = try #require(blocks.dropFirst().first?.subjectHash)
        #expect(hash.count == 32 && hash.range(of: Self.anna) == nil)
    }

    @Test("goes through the blocks of one app, page by page and by kind")
    func pages() async throws {
        let harness = try await ServiceHarness()
        let keys = (1...5).map { Data([$0]) }
        for key in keys.shuffled() {
            try await block(harness) { $0.keyID = key }
            try await block(harness, app: "notes") { $0.keyID = Data([9]) + key }
            try await block(harness) { $0.subject = key }
        }
        let subjects = try await pages(harness) { ($0.kind, $0.pageSize) = (.subject, 2) }
        #expect(subjects.map(\.count) == [2, 2, 1] && Set(subjects.joined().map(\.subjectHash)).count == 5)
        let byKey = try await pages(harness) { ($0.kind, $0.pageSize) = (.key, 3) }
        let keyIDs = byKey.map { $0.map(\.keyID) }
        let pagesOfKeys = [Array(keys[..<3]), Array(keys[3...])]
        #expect(keyIDs == pagesOfKeys)
        let all = (subjects + byKey).flatMap(\.self)
        #expect(try await pages(harness) { $0.pageSize = 4 }.flatMap(\.self) == all)
        #expect(try await pages(harness) { $0.kind = .unspecified } == [all])
        #expect(try await pages(harness) { $0.kind = .device } == [[]])
    }

    @Test("finds the block of a given subject, device or key, and no other")
    func exactly() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol(subject: Array(Self.anna))
        let targets: [Assay_V1_BlockTarget] = [
            .with { $0.deviceID = Data(device.bytes) }, .with { $0.subject = Self.anna },
            .with { $0.keyID = Data(handset.key.keyID) },
        ]
        for (index, target) in targets.enumerated() {
            try await block(harness, reason: "block \(index)") { $0 = target }
            for (other, asked) in targets.enumerated() {
                let found = try await list(harness) { $0.target = asked }
                let expected = other <= index ? ["block \(other)"] : []
                #expect(found.blocks.map(\.reason) == expected)
                #expect(found.nextPageToken.isEmpty)
            }
        }
        #expect(try await list(harness) { $0.target.subject = Data("berta".utf8) }.blocks.isEmpty)
        #expect(try await list(harness) { ($0.app, $0.target.subject) = ("notes", Self.anna) }.blocks.isEmpty)
    }

    @Test("shows a forgotten device that was blocked by its key")
    func forgotten() async throws {
        let harness = try await ServiceHarness()
        let (handset, device) = try await harness.enrol()
        try await block(harness, reason: "lost") { $0.deviceID = Data(device.bytes) }
        _ = try await harness.ledger.forget(device)
        let blocks = try await list(harness).blocks
        #expect(blocks.map(\.what) == [.keyID(Data(handset.key.keyID))] && blocks.first?.reason == "lost")
    }

    @Test("knows no block of a device that is not on record, or another app's")
    func unknown() async throws {
        let harness = try await ServiceHarness()
        let (_, device) = try await harness.enrol()
        try await block(harness) { $0.deviceID = Data(device.bytes) }
        for (app, id) in [("notes", device), ("camera", .random())] {
            let error = await #expect(throws: RPCError.self) {
                try await list(harness) { ($0.app, $0.target.deviceID) = (app, Data(id.bytes)) }
            }
            #expect(error?.code == .notFound && error?.reason == "unknown_device")
        }
        #expect(harness.ledger.asked(.listBlocks) == 0)
        #expect(try await list(harness) { $0.app = "notes" }.blocks.isEmpty)
    }

    @Test("goes on only with a token of the same listing")
    func tokens() async throws {
        let harness = try await ServiceHarness()
        for number in 1...2 as ClosedRange<UInt8> {
            try await block(harness) { $0.keyID = Data(repeating: number, count: 64) }
            _ = try await harness.enrol()
        }
        let token = try await list(harness) { ($0.kind, $0.pageSize) = (.key, 1) }.nextPageToken
        let rest = try await list(harness) { ($0.kind, $0.pageToken) = (.key, token) }
        let (longest, found) = (Data(repeating: 2, count: 64), rest.blocks.map(\.keyID))
        #expect(found == [longest], "after the longest key id")
        let ofDevices: Assay_V1_ListDevicesResponse = try await harness.call(
            API.listDevices,
            Assay_V1_ListDevicesRequest.with { ($0.app, $0.pageSize) = ("camera", 1) })
        #expect(!ofDevices.nextPageToken.isEmpty)
        let changes: [(inout Assay_V1_ListBlocksRequest) -> Void] = [
            { $0.app = "notes" }, { $0.only = nil }, { $0.kind = .subject }, { $0.target.keyID = Data([1]) },
            { $0.pageToken.removeLast() }, { $0.pageToken[0] = 3 }, { $0.pageToken[token.count - 1] ^= 1 },
            { $0.pageToken = token.suffix(8) }, { $0.pageToken = Data(count: 74) },
            { ($0.only, $0.pageToken) = (nil, ofDevices.nextPageToken) },
        ]
        for (index, change) in changes.enumerated() {
            let error = await #expect(throws: RPCError.self, "change \(index)") {
                try await list(harness) { request in
                    (request.kind, request.pageToken) = (.key, token)
                    change(&request)
                }
            }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix("page_token ") == true, "change \(index)")
        }
    }

    @Test("is asked for within bounds")
    func bounds() async throws {
        let harness = try await ServiceHarness()
        let requests: [(String, (inout Assay_V1_ListBlocksRequest) -> Void)] = [
            ("app", { $0.app = "" }), ("page_size", { $0.pageSize = 501 }), ("kind", { $0.kind = .UNRECOGNIZED(9) }),
            ("target", { $0.target = .init() }), ("target.device_id", { $0.target.deviceID = Data(count: 15) }),
            ("target.subject", { $0.target.subject = Data() }), ("target.subject", { $0.target.subject = Data(count: 257) }),
            ("target.key_id", { $0.target.keyID = Data(count: 65) }),
        ]
        for (field, change) in requests {
            let error = await #expect(throws: RPCError.self) { try await list(harness, change) }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix(field + " ") == true, "\(field)")
        }
        #expect(harness.ledger.asked(.listBlocks) == 0)
        #expect(try await list(harness) { ($0.pageSize, $0.target.subject) = (500, Data(count: 256)) }.blocks.isEmpty)
    }

    @Test("has 100 on a page unless it is told otherwise, and at most 500, which go into a frame")
    func sizes() async throws {
        let harness = try await ServiceHarness()
        for number in 0..<501 {
            let keyID = [UInt8](repeating: 0, count: 62) + [UInt8(number >> 8), UInt8(number & 0xFF)]
            let key = DeviceKey(app: .camera, keyID: keyID)
            _ = try await harness.ledger.block(
                .key(key), reason: String(repeating: "r", count: 256), at: ServiceHarness.opening)
        }
        #expect(try await list(harness).blocks.count == 100)
        let longest = try await list(harness) { $0.pageSize = 500 }
        #expect(longest.blocks.count == 500 && !longest.nextPageToken.isEmpty)
        let wire: [UInt8] = try longest.serializedBytes()
        #expect(wire.count < 1 << 20)
    }

    @Test("cannot be told in an outage")
    func outage() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(.listBlocks, with: .unavailable("test"))
        let error = await #expect(throws: RPCError.self) { try await list(harness) }
        #expect(error?.code == .unavailable && error?.reason == "ledger_unavailable")
    }
}
