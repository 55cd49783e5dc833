import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Virtual iPhones that are registered by import. Keys follow from the phones' numbers, so that those of a million are not kept.
final class ImportedPhones: Load, @unchecked Sendable {  // only one task touches counters, between rounds
    let clients: [AssayClient]
    private let app: AppID
    private let authority: TestAuthority
    /// Assertions in each round.
    private let assertions: Int
    /// How many are registered. They have the numbers below it.
    private(set) var count = 0
    /// Of phones that have uploaded, by number.
    private var counters: [Int: UInt32] = [:]

    init(_ daemon: DaemonProcess, assertions: Int, connections: Int) async throws {
        clients = try await Clients.connect(connections, to: daemon.address)
        (app, authority, self.assertions) = (try DaemonConfiguration.phoneApp, daemon.authority, assertions)
    }

    private func key(_ number: Int) -> VirtualKey {
        var phone = VirtualPhone(authority: authority, appID: DaemonConfiguration.appID, seed: "imported \(number)")
        return phone.makeKey()
    }

    // MARK: Registration

    /// Registers phones until there are so many, in batches as large as a call takes, one on each connection at a time.
    func grow(to end: Int) async throws {
        let start = count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, client) in clients.enumerated() {
                group.addTask { [self] in
                    let size = ImportedDevice.batchLimit
                    for first in stride(from: start + index * size, to: end, by: size * clients.count) {
                        try await register(first..<min(first + size, end), over: client)
                    }
                }
            }
            try await group.waitForAll()
        }
        count = end
    }

    private func register(_ numbers: Range<Int>, over client: AssayClient) async throws {
        let devices = numbers.map { number in
            Assay_V1_ImportedDevice.with {
                $0.appAttest.publicKey = Data(key(number).publicKey)
                $0.appAttest.appID = DaemonConfiguration.appID
                $0.appAttest.environment = "production"
            }
        }
        for result in try await client.importDevices(devices, app: app) where result.outcome != .added {
            throw AssayError(.internalError, "not imported: \(result.outcome) \(result.reason)")
        }
    }

    // MARK: Uploads

    /// Uploads of phones that are drawn from all registered ones, `count` of each; as many phones as make a round.
    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let wanted = min(self.count, max(1, assertions / count))
        var drawn: Set<Int> = []
        while drawn.count < wanted { drawn.insert(Int.random(in: 0..<self.count)) }
        return try await uploads(count, of: drawn.shuffled())
    }

    /// Uploads of some phones, by number: `count` of each.
    func uploads(_ count: Int, of numbers: [Int]) async throws -> [[PlainFrame.Request]] {
        var keys = numbers.map { number in
            var key = key(number)
            key.counter = counters[number] ?? 0
            return key
        }
        let (app, clients) = (app, clients)
        let requests = try await Requests.made(by: &keys) { index, key in
            try await Phones.uploads(count, of: &key, to: app, over: clients[index % clients.count])
        }
        for (number, key) in zip(numbers, keys) { counters[number] = key.counter }
        return requests
    }

    /// How many uploads of each phone make a round.
    var perPhone: Int { (assertions + count - 1) / count }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
