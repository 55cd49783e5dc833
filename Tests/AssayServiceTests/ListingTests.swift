import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@Suite("Listing")
struct ListingTests {
    private func list(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_ListDevicesRequest) -> Void = { _ in }
    ) async throws -> Assay_V1_ListDevicesResponse {
        var request = Assay_V1_ListDevicesRequest.with { $0.app = "camera" }
        change(&request)
        return try await harness.call(API.listDevices, request)
    }

    /// The ids of each page.
    private func pages(
        _ harness: ServiceHarness, _ change: (inout Assay_V1_ListDevicesRequest) -> Void
    ) async throws -> [[DeviceID]] {
        var pages: [[DeviceID]] = []
        var token = Data()
        repeat {
            let page = try await list(harness) { request in
                change(&request)
                request.pageToken = token
            }
            pages.append(page.devices.compactMap { DeviceID(bytes: Array($0.deviceID)) })
            token = page.nextPageToken
            #expect(token.count <= 64)
        } while !token.isEmpty && pages.count < 20
        return pages
    }

    @Test("goes through the devices of one app in the order of registration")
    func pages() async throws {
        let harness = try await ServiceHarness()
        var own: [DeviceID] = []
        for number in 0..<5 {
            own.append(try await harness.enrol().device)
            if number == 2 { _ = try await harness.enrol(.notes) }
        }
        #expect(try await pages(harness) { $0.pageSize = 2 } == [Array(own[..<2]), Array(own[2..<4]), [own[4]]])
        #expect(try await pages(harness) { _ in } == [own])
    }

    @Test("is by subject and by state")
    func filters() async throws {
        let harness = try await ServiceHarness()
        let anna = Array("anna".utf8)
        var own: [DeviceID] = []
        for subject in [anna, anna, [], anna] { own.append(try await harness.enrol(subject: subject).device) }
        _ = try await harness.ledger.block(.device(own[1]), reason: "lost", at: ServiceHarness.opening)
        #expect(try await pages(harness) { $0.subject = Data(anna) } == [[own[0], own[1], own[3]]])
        #expect(try await pages(harness) { $0.state = .blocked } == [[own[1]]])
        #expect(try await pages(harness) { ($0.state, $0.subject) = (.active, Data(anna)) } == [[own[0], own[3]]])
        #expect(try await pages(harness) { $0.subject = Data("berta".utf8) } == [[]])
    }

    @Test("leaves out what is long")
    func short() async throws {
        let harness = try await ServiceHarness()
        _ = try await harness.enrol()
        let device = try #require(try await list(harness).devices.first)
        #expect(device.claims.isEmpty && device.chainSerials.isEmpty && device.publicKey.isEmpty)
        #expect(device.keyID.count == 32 && device.simulated && !device.imported)
    }

    @Test("goes on only with a token of the same listing")
    func tokens() async throws {
        let harness = try await ServiceHarness()
        for _ in 0..<2 { _ = try await harness.enrol() }
        let token = try await list(harness) { $0.pageSize = 1 }.nextPageToken
        #expect(try await list(harness) { $0.pageToken = token }.devices.count == 1)
        let changes: [(inout Assay_V1_ListDevicesRequest) -> Void] = [
            { $0.app = "notes" }, { $0.subject = Data([1]) }, { $0.state = .blocked }, { $0.pageToken.removeLast() },
            { $0.pageToken[0] |= 0x80 }, { $0.pageToken[15] ^= 1 }, { $0.pageToken = Data(count: 17) },
        ]
        for (index, change) in changes.enumerated() {
            let error = await #expect(throws: RPCError.self, "change \(index)") {
                try await list(harness) { request in
                    request.pageToken = token
                    change(&request)
                }
            }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix("page_token ") == true, "change \(index)")
        }
    }

    @Test("is asked for within bounds")
    func bounds() async throws {
        let harness = try await ServiceHarness()
        let requests: [(String, (inout Assay_V1_ListDevicesRequest) -> Void)] = [
            ("app", { $0.app = "" }), ("page_size", { $0.pageSize = 501 }), ("state", { $0.state = .UNRECOGNIZED(9) }),
            ("subject", { $0.subject = Data(count: 257) }),
        ]
        for (field, change) in requests {
            let error = await #expect(throws: RPCError.self) { try await list(harness, change) }
            #expect(error?.code == .invalidArgument && error?.message.hasPrefix(field + " ") == true, "\(field)")
        }
        #expect(try await list(harness) { ($0.pageSize, $0.subject) = (500, Data(count: 256)) }.devices.isEmpty)
    }

    @Test("cannot be told in an outage")
    func outage() async throws {
        let harness = try await ServiceHarness()
        harness.ledger.fail(.list, with: .unavailable("test"))
        let error = await #expect(throws: RPCError.self) { try await list(harness) }
        #expect(error?.code == .unavailable && error?.reason == "ledger_unavailable")
    }
}
