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

    /// The bytes of a round, for each connection: by default those of `requests`.
    func bursts(_ count: Int, over traffic: Traffic) async throws -> [Traffic.Bursts]

    /// The number of answers; all must be as wanted.
    func accepted(_ replies: [[UInt8]], by front: LoadFront) throws -> Int
}

extension Load {
    func bursts(_ count: Int, over traffic: Traffic) async throws -> [Traffic.Bursts] {
        try traffic.bursts(try await requests(count))
    }

    func accepted(_ replies: [[UInt8]], by front: LoadFront) throws -> Int {
        for reply in replies {
            guard let answer = front.answer(reply) else {
                let problem = front == .framed ? PlainFrame.problem(reply) : "no message"
                throw AssayError(.internalError, "a call was not answered: \(problem)")
            }
            try check(answer)
        }
        return replies.count
    }
}

/// The plain connections over which a load's requests are sent.
struct Traffic {
    /// Of each connection.
    let addresses: [String]
    let front: LoadFront
    /// The most requests in a burst.
    let inFlight: Int
    /// Whether each burst has a connection of its own.
    let reconnects: Bool

    /// - Parameter addresses: of daemons, which the connections take in turn.
    init(to addresses: [String], by front: LoadFront = .framed, connections: Int, inFlight: Int, reconnects: Bool = false) {
        self.addresses = (0..<connections).map { addresses[$0 % addresses.count] }
        (self.front, self.inFlight, self.reconnects) = (front, inFlight, reconnects)
    }

    /// A connection's bursts, ready to send: each has one request of each of its devices, or of as many as a burst may have.
    typealias Bursts = [(bytes: [UInt8], requests: Int)]

    /// Makes the bytes of all requests, for each connection. Connections take the devices in turn.
    func bursts(_ devices: [[PlainFrame.Request]]) throws -> [Bursts] {
        try addresses.indices.map { index in
            var encoder = front.encoder(for: addresses[index])
            let own = stride(from: index, to: devices.count, by: addresses.count).map { devices[$0] }
            return try (0..<(own.map(\.count).min() ?? 0)).flatMap { round in
                try stride(from: 0, to: own.count, by: inFlight).map { start in
                    let requests = own[start..<min(start + inFlight, own.count)].map { $0[round] }
                    return (try encoder.burst(requests), requests.count)
                }
            }
        }
    }

    /// All answers, and how long each burst took.
    struct Answers {
        var replies: [[UInt8]] = []
        var bursts: [Duration] = []
    }

    /// Sends all bursts, on each connection the next one after the last answer.
    ///
    /// Each connection has a thread: `concurrentPerform` would serve as many at a time as there are processors.
    func send(_ bursts: [Bursts]) throws -> Answers {
        let collected = Collected()
        let ended = DispatchGroup()
        for index in bursts.indices {
            ended.enter()
            Thread.detachNewThread {
                let result = Result { try send(bursts[index], to: addresses[index]) }
                collected.results.withLock { $0.append(result) }
                ended.leave()
            }
        }
        ended.wait()
        return try collected.results.withLock { $0 }.reduce(into: Answers()) { all, result in
            let answers = try result.get()
            all.replies += answers.replies
            all.bursts += answers.bursts
        }
    }

    private final class Collected: Sendable {
        let results = Mutex<[Result<Answers, any Error>]>([])
    }

    private func send(_ bursts: Bursts, to address: String) throws -> Answers {
        var connection = reconnects ? nil : try front.connect(to: address)
        return try bursts.reduce(into: Answers()) { answers, burst in
            let start = ContinuousClock.now
            if reconnects { connection = try front.connect(to: address) }
            guard let connection else { return }
            answers.replies += try connection.exchange(burst.bytes, calls: burst.requests)
            answers.bursts.append(start.duration(to: .now))
        }
    }
}

/// Connections of Assay's client, to prepare a load.
enum Clients {
    /// On a busy machine, or under Valgrind, hundreds of registrations at once take a while.
    private static let options = ClientOptions(timeout: .seconds(300))

    static func connect(_ count: Int, to address: String) async throws -> [AssayClient] {
        var clients = [try await connect(address)]
        while clients.count < count { clients.append(try await connect(address)) }
        return clients
    }

    /// The daemon takes a moment until it listens.
    private static func connect(_ address: String) async throws -> AssayClient {
        for _ in 0..<100 {
            if let client = try? await AssayClient.connect(to: address, options: options) { return client }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await AssayClient.connect(to: address, options: options)
    }
}
