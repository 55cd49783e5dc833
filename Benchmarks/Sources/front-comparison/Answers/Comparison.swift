import AssayAPI
import AssayTesting
import Foundation
import SwiftProtobuf

/// Sends requests to each of some daemons over another protocol, and compares what the others answer with what the first one answers.
struct Comparison {
    private let fronts: [any Front]
    /// Of each front but the first.
    private var comparisons: [AnswerDifference]
    private var sent = 0
    private var counts: [String: Int] = [:]

    /// What differs, for people.
    private(set) var differences: [String] = []
    /// What was compared beside the answers.
    private(set) var compared: [(count: Int, what: String)] = []

    init(_ fronts: [any Front]) {
        self.fronts = fronts
        comparisons = fronts.dropFirst().map { _ in AnswerDifference() }
    }

    /// How often the first front was answered how, most often first.
    var outcomes: [(String, Int)] { counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) } }

    mutating func send(_ request: RecordedRequest) async throws {
        sent += 1
        let outcomes = try await withThrowingTaskGroup(of: (Int, CallOutcome).self) { [fronts] group in
            for (index, front) in fronts.enumerated() { group.addTask { (index, try await front.call(request)) } }
            return try await group.reduce(into: [Int: CallOutcome]()) { $0[$1.0] = $1.1 }
        }
        guard let first = outcomes[0] else { return }
        counts[try summary(of: first, request.method), default: 0] += 1
        for index in comparisons.indices {
            guard let other = outcomes[index + 1] else { continue }
            let found = try comparisons[index].between(first, other, request.method)
            note(found, index, "request \(sent), \(request.kind), \(request.method.path)")
        }
    }

    private mutating func note(_ found: [String], _ index: Int, _ what: String) {
        guard !found.isEmpty else { return }
        differences.append(
            "\(what), over \(fronts[0].name) and \(fronts[index + 1].name):\n"
                + found.prefix(5).map { "  " + $0 }.joined(separator: "\n"))
    }

    private func summary(of outcome: CallOutcome, _ method: ComparedMethod) throws -> String {
        let name = method.path.split(separator: "/").last.map(String.init) ?? method.path
        switch outcome {
        case .error(let status): return "\(name): error \(status.code) \(status.reason)"
        case .answer(let bytes):
            let tree = try method.tree(bytes)
            let verdict = tree["verdict"] ?? tree
            let reason = (verdict["reason"] ?? tree["rejection"]?["reason"])?.text ?? ""
            let word = verdict["decision"]?.text == "DECISION_ACCEPTED" ? "accepted" : reason
            return word.isEmpty ? name : "\(name): \(word)"
        }
    }

    // MARK: Records

    /// Compares what the daemons have on record.
    mutating func compareRecords() async throws {
        try await settle()
        let records = try await pages(.listVerdicts, Assay_V1_ListVerdictsResponse.self, "verdict records") { token in
            Assay_V1_ListVerdictsRequest.with { ($0.pageSize, $0.pageToken) = (200, token) }
        } elements: {
            $0.records.map(\.requestID)
        }
        // With their findings.
        for index in records[0].indices {
            let answers = try await each { front, number in
                guard records[number].indices.contains(index) else { return nil }
                let request = Assay_V1_GetVerdictRequest.with { $0.requestID = records[number][index] }
                return try await front.call(try RecordedRequest("a verdict record", .getVerdict, request))
            }
            try compare(answers, .getVerdict, "verdict record \(index + 1) of the newest")
        }
        for app in World.apps {
            _ = try await pages(.listDevices, Assay_V1_ListDevicesResponse.self, "devices of \(app)") { token in
                Assay_V1_ListDevicesRequest.with { ($0.app, $0.pageSize, $0.pageToken) = (app, 200, token) }
            } elements: {
                $0.devices.map(\.deviceID)
            }
            _ = try await pages(.listBlocks, Assay_V1_ListBlocksResponse.self, "blocks of \(app)") { token in
                Assay_V1_ListBlocksRequest.with { ($0.app, $0.pageSize, $0.pageToken) = (app, 200, token) }
            } elements: {
                $0.blocks.map(\.keyID)
            }
        }
        for app in World.provisioned {
            _ = try await pages(.listCertificates, Assay_V1_ListCertificatesResponse.self, "certificates of \(app)") { token in
                Assay_V1_ListCertificatesRequest.with { ($0.app, $0.pageSize, $0.pageToken) = (app, 200, token) }
            } elements: {
                $0.certificates.map(\.serial)
            }
            _ = try await pages(.listEnrolments, Assay_V1_ListEnrolmentsResponse.self, "permissions of \(app)") { token in
                Assay_V1_ListEnrolmentsRequest.with { ($0.app, $0.pageSize, $0.pageToken) = (app, 500, token) }
            } elements: {
                $0.enrolments.map(\.serial)
            }
        }
        try await compareTraffic()
    }

    /// Waits until every daemon has written its records: they come after the answers.
    private func settle() async throws {
        var before: [Int64] = []
        while true {
            let rows = try await each { front, _ in
                try await front.call(try RecordedRequest("", .listVerdicts, Assay_V1_ListVerdictsRequest()))
            }.map { outcome in
                guard case .answer(let bytes) = outcome else { throw ProtocolFault("no records") }
                return try Assay_V1_ListVerdictsResponse(serializedBytes: bytes).state.rows
            }
            if rows == before { return }
            before = rows
            try await Task.sleep(for: .seconds(2))
        }
    }

    /// Compares how many verdicts of which reasons the daemons count.
    private mutating func compareTraffic() async throws {
        let answers = try await each { front, _ in
            try await front.call(try RecordedRequest("status", .status, Assay_V1_StatusRequest()))
        }
        let traffic = try answers.map { outcome in
            guard case .answer(let bytes) = outcome else { throw ProtocolFault("no status: \(outcome.map { "\($0)" } ?? "")") }
            var traffic = try Assay_V1_StatusResponse(serializedBytes: bytes).traffic
            // What concerns connections and not calls.
            (traffic.connections, traffic.callsInFlight, traffic.endedConnections) = (0, 0, [:])
            return try AnswerTree(json: try traffic.jsonUTF8Bytes())
        }
        for index in comparisons.indices {
            note(comparisons[index].between(traffic[0], traffic[index + 1]), index, "traffic in the status")
        }
    }

    /// Reads a list from each daemon, page by page, and compares the pages.
    private mutating func pages<Answer: Message, Element>(
        _ method: ComparedMethod, _: Answer.Type, _ what: String,
        _ request: (Data) -> any Message, elements: (Answer) -> [Element]
    ) async throws -> [[Element]] where Answer: Paged {
        var tokens = fronts.map { _ in Data() }
        var all = fronts.map { _ in [Element]() }
        repeat {
            let requests = try tokens.map { try RecordedRequest(what, method, request($0)) }
            var answers: [CallOutcome?] = []
            for (front, request) in zip(fronts, requests) { answers.append(try await front.call(request)) }
            try compare(answers, method, what)
            for (index, answer) in answers.enumerated() {
                guard case .answer(let bytes) = answer else { throw ProtocolFault("\(what): \(answer.map { "\($0)" } ?? "")") }
                let page = try Answer(serializedBytes: bytes)
                tokens[index] = page.nextPageToken
                all[index] += elements(page)
            }
        } while !tokens[0].isEmpty
        compared.append((all[0].count, what))
        return all
    }

    private func each(
        _ body: (any Front, Int) async throws -> CallOutcome?
    ) async throws -> [CallOutcome?] {
        var outcomes: [CallOutcome?] = []
        for (number, front) in fronts.enumerated() { outcomes.append(try await body(front, number)) }
        return outcomes
    }

    private mutating func compare(_ answers: [CallOutcome?], _ method: ComparedMethod, _ what: String) throws {
        guard let first = answers.first.flatMap({ $0 }) else { return }
        for index in comparisons.indices {
            guard let other = answers[index + 1] else {
                note(["it is not there"], index, what)
                continue
            }
            note(try comparisons[index].between(first, other, method), index, what)
        }
    }
}

extension AnswerDifference {
    /// What differs between two outcomes.
    mutating func between(_ one: CallOutcome, _ other: CallOutcome, _ method: ComparedMethod) throws -> [String] {
        switch (one, other) {
        case (.answer(let a), .answer(let b)): return between(try method.tree(a), try method.tree(b))
        case (.error(let a), .error(let b)): return between(AnswerTree(a), AnswerTree(b))
        case (.answer, .error(let b)): return ["an answer and the error \(b)"]
        case (.error(let a), .answer): return ["the error \(a) and an answer"]
        }
    }
}

extension AnswerTree {
    /// An error, with the request's id as a member of its own: the daemon writes it behind the message.
    fileprivate init(_ status: TestCallStatus) {
        var (message, id) = (status.message, "")
        if let range = message.range(of: " (request ", options: .backwards), message.hasSuffix(")") {
            id = String(message[range.upperBound...].dropLast())
            message = String(message[..<range.lowerBound])
        }
        self = .object([
            "code": .leaf("\(status.code)"), "reason": .leaf(status.reason), "message": .leaf(message), "requestId": .leaf(id),
            "retryAfterMs": .leaf("\(status.retryAfterMilliseconds)"),
        ])
    }
}

/// A page of a list.
protocol Paged {
    var nextPageToken: Data { get }
}

extension Assay_V1_ListVerdictsResponse: Paged {}
extension Assay_V1_ListDevicesResponse: Paged {}
extension Assay_V1_ListBlocksResponse: Paged {}
extension Assay_V1_ListCertificatesResponse: Paged {}
extension Assay_V1_ListEnrolmentsResponse: Paged {}
