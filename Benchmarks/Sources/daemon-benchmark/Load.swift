import AssayClient
import AssayCore
import Foundation
import Synchronization

/// What devices ask of the daemon in a benchmark.
protocol Load {
    /// The devices' clients, whose requests go over as many plain connections.
    var clients: [AssayClient] { get }

    /// Requests, ready to send: `count` for each device.
    func requests(_ count: Int) async throws -> [[PlainFrame.Request]]

    /// Throws unless this message answers a request as wanted.
    func check(_ answer: [UInt8]) throws
}

/// The address at which plain connections send a load's requests.
struct Traffic {
    let address: String
    let connections: Int

    /// A connection's bursts, ready to send: each has one request of each of its devices.
    typealias Bursts = [(bytes: [UInt8], requests: Int)]

    /// Makes the frames of all requests, for each connection.
    func bursts(_ devices: [[PlainFrame.Request]]) -> [Bursts] {
        (0..<connections).map { index in
            let own = stride(from: index, to: devices.count, by: connections).map { devices[$0] }
            return (0..<(own.map(\.count).min() ?? 0)).map { round in
                let frames = own.enumerated().map { PlainFrame.call(UInt64($0 + 1), $1[round]) }
                return (frames.flatMap { $0 }, frames.count)
            }
        }
    }

    /// Sends all bursts, on each connection the next one after the last answer; returns all answers.
    func send(_ bursts: [Bursts]) throws -> [[UInt8]] {
        let results = Mutex<[Result<[[UInt8]], any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: bursts.count) { index in
            let result = Result {
                let connection = try PlainConnection(address)
                return try bursts[index].flatMap { try connection.exchange($0.bytes, frames: $0.requests) }
            }
            results.withLock { $0.append(result) }
        }
        return try results.withLock { $0 }.flatMap { try $0.get() }
    }
}

/// Connections of Assay's client, to prepare a load.
enum Clients {
    static func connect(_ count: Int, to address: String) async throws -> [AssayClient] {
        var clients = [try await connect(address)]
        while clients.count < count { clients.append(try await connect(address)) }
        return clients
    }

    /// The daemon takes a moment until it listens.
    private static func connect(_ address: String) async throws -> AssayClient {
        for _ in 0..<100 {
            if let client = try? await AssayClient.connect(to: address) { return client }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await AssayClient.connect(to: address)
    }
}
