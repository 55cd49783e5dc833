import Foundation

/// One row of the table: an operation of the daemon, what is prepared for it, how its requests are sent, and the raw operations that
/// every implementation of it must perform.
protocol TableRow: Sendable {
    /// Names the row in options and files. Never changed, so that results of different revisions can be compared.
    var id: String { get }
    /// For people.
    var title: String { get }
    var raw: RawUnit { get }
    var bars: [Bar] { get }
    var sending: Sending { get }
    /// How many requests `counts` sends to count instructions and allocations; 0: the row is not counted.
    var counted: Int { get }
    /// Whether it is measured on PostgreSQL.
    var needsDatabase: Bool { get }

    /// Starts what is measured, unless another row has, and registers devices.
    func prepare(in stage: TableStage, _ sending: Sending) async throws -> RowSubject
}

extension TableRow {
    var counted: Int { 256 }
    var needsDatabase: Bool { false }
}

/// What a row measures.
struct RowSubject {
    let load: any Load
    let daemon: DaemonProcess
    let database: LedgerDatabase?

    init(_ load: any Load, _ daemon: DaemonProcess, database: LedgerDatabase? = nil) {
        (self.load, self.daemon, self.database) = (load, daemon, database)
    }

    /// CPU time so far in seconds: of the daemon, then of the database, if there is one.
    func processors() throws -> [Double] { [try daemon.cpuSeconds()] + (try database?.cpuSeconds() ?? []) }
}

/// How the requests of a row are sent.
struct Sending: Sendable {
    var connections = 4
    /// Requests of a burst, on each connection.
    var inFlight = 128
    /// Whether each burst has a connection of its own.
    var reconnects = false
    /// Devices that take turns, if they are not as many as there are requests in flight.
    var population: Int?
    /// About so many requests in a round.
    var requests: Int

    var devices: Int { population ?? connections * inFlight }
    /// Requests of each device in a round.
    var perDevice: Int { max(1, requests / devices) }

    /// With a quarter of the requests.
    var quick: Sending {
        var quick = self
        quick.requests = max(1, requests / 4)
        if perDevice < 4 {
            if population == nil { quick.inFlight = max(1, inFlight / 4) }
            quick.population = population.map { max(1, $0 / 4) }
        }
        return quick
    }

    func traffic(to daemon: DaemonProcess) -> Traffic {
        Traffic(to: [daemon.address], connections: connections, inFlight: inFlight, reconnects: reconnects)
    }
}

/// What a row may cost.
struct Bar: Codable, Sendable {
    enum Part: String, Codable, Sendable {
        case daemon, database, together
    }

    enum Limit: Codable, Sendable {
        /// In raw operations of the same run.
        case raw(Double)
        case microseconds(Double)
        /// Less CPU than another row, which accepts what this one rejects.
        case row(String)
    }

    var part = Part.daemon
    let limit: Limit

    static func raw(_ ratio: Double, _ part: Part = .daemon) -> Bar { Bar(part: part, limit: .raw(ratio)) }
    static func microseconds(_ time: Double) -> Bar { Bar(limit: .microseconds(time)) }
    static func cheaper(than row: String) -> Bar { Bar(limit: .row(row)) }
}

/// The raw operations of a row.
enum RawUnit: String, Codable, CaseIterable, Sendable {
    case verification
    case twoVerifications
    case largeVerification
    case signature
    case issuance
    case authentication

    /// For people.
    var title: String {
        switch self {
        case .verification: "a P-256 verification"
        case .twoVerifications: "two P-256 verifications"
        case .largeVerification: "a P-384 verification"
        case .signature: "a P-256 signature"
        case .issuance: "a P-256 signature and two verifications"
        case .authentication: "an HMAC-SHA256"
        }
    }

    func make() throws -> RawOperation {
        switch self {
        case .verification: try .verification()
        case .twoVerifications: .sum("two verifications", [try .verification(), try .verification()])
        case .largeVerification: try .largeVerification()
        case .signature: .signature()
        case .issuance: .sum("issuance", [.signature(), try .verification(), try .verification()])
        case .authentication: .authentication()
        }
    }
}
