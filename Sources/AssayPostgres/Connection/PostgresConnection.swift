import AssayMetrics
import CPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A connection in pipeline mode. One thread uses it at a time, and each call has a deadline.
///
/// The statements of a call are sent together, and the server runs none after one that fails. The socket never blocks: what is
/// sent waits in libpq while the server waits to be read, so that large calls do not lock both sides.
final class PostgresConnection {
    private let handle: OpaquePointer
    private let warnings: Warnings
    /// Of the prepared statements, by their text.
    private var names: [String: String] = [:]
    /// Begins their names: behind a pooler that mixes connections a statement may be missing, and is never another client's.
    private let prefix = "s" + String(UInt32.random(in: 0...(.max)), radix: 36) + "_"
    /// What the server is, once it was asked (`ServerCheck`).
    var engine = ServerEngine.postgresql
    /// False after a failure that ends the connection.
    private(set) var isUsable = true

    /// Connects, and blocks at most `connectTimeout` for each host.
    init(_ settings: PostgresSettings) throws(PostgresError) {
        try PostgresLibrary.load()
        let string = try settings.connectionString()
        guard let handle = PQconnectdb(string) else { throw PostgresError(.connection, "out of memory") }
        self.handle = handle
        warnings = Warnings()
        guard PQstatus(handle) == CONNECTION_OK else {
            throw PostgresError(.connection, Self.words(PQerrorMessage(handle)))
        }
        PQsetNoticeReceiver(handle, noteWarning, Unmanaged.passUnretained(warnings).toOpaque())
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw PostgresError(.connection, "the connection cannot be set up")
        }
    }

    deinit { PQfinish(handle) }

    /// The server's version, such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// True if the server is in a transaction, whether it failed or not.
    var isInTransaction: Bool {
        switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS, PQTRANS_INERROR: true
        default: false
        }
    }

    // MARK: Running

    /// The result of one statement.
    func query(_ statement: SQLStatement, within milliseconds: Int64) throws(PostgresError) -> PostgresRows {
        guard let rows = try run([statement], within: milliseconds).first else { throw .damaged("a statement has no result") }
        return rows
    }

    /// Runs statements in one trip, and returns the result of each. Throws the failure of the first that failed; those behind it did not run.
    func run(_ statements: [SQLStatement], within milliseconds: Int64) throws(PostgresError) -> [PostgresRows] {
        guard isUsable else { throw PostgresError(.connection, "the connection has ended") }
        let deadline = MonotonicTime.nanoseconds() &+ UInt64(max(1, milliseconds)) &* 1_000_000
        warnings.texts = []
        // Encoded before anything is sent, so that a value that cannot be sent leaves the connection as it is.
        var parameters: [ParameterBytes] = []
        for statement in statements { parameters.append(try ParameterBytes(statement.parameters)) }
        do throws(PostgresError) {
            let slots = try send(statements, parameters)
            try flush(until: deadline)
            return try collect(slots, until: deadline)
        } catch {
            if error.endsConnection { isUsable = false }
            throw error
        }
    }

    /// Commits, with `statements` before it in the same trip, and returns their results. Throws `.unconfirmed` if the server warns: it
    /// may have given up the wait for its standby.
    func commit(after statements: [SQLStatement] = [], within milliseconds: Int64) throws(PostgresError) -> [PostgresRows] {
        var results: [PostgresRows]
        do throws(PostgresError) {
            results = try run(statements + [.once("COMMIT")], within: milliseconds)
        } catch {
            // statement_completion_unknown: a node of a distributed database does not know what became of the commit.
            guard error.state == "40003" else { throw error }
            isUsable = false
            throw PostgresError(.connection, "the database does not know what became of the commit (40003)")
        }
        // COMMIT of a failed transaction is no error: its tag says ROLLBACK.
        guard let tag = results.popLast()?.tag, tag == "COMMIT" else {
            throw PostgresError(.server("40000"), "the server rolled the transaction back")
        }
        if let warning = warnings.texts.first {
            isUsable = false
            throw PostgresError(.unconfirmed, warning)
        }
        return results
    }

    /// Ends a transaction without its changes, if there is one. The connection is not usable if that fails.
    func rollBack(within milliseconds: Int64) {
        guard isUsable, isInTransaction else { return }
        do throws(PostgresError) { _ = try run([.once("ROLLBACK")], within: milliseconds) } catch { isUsable = false }
    }

    // MARK: Notifications

    /// The payloads of notifications that have arrived, after a wait until one arrives, until `wake` can be read, or until
    /// `milliseconds` have passed.
    func notifications(orReadable wake: Int32, within milliseconds: Int32) throws(PostgresError) -> [String] {
        guard isUsable else { throw PostgresError(.connection, "the connection has ended") }
        var waited = [
            pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&waited, nfds_t(waited.count), milliseconds)
        guard count >= 0 || errno == EINTR, count <= 0 || waited[0].revents == 0 || PQconsumeInput(handle) == 1 else {
            throw ended()
        }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    // MARK: Sending

    /// What a result of the pipeline answers.
    private enum Slot {
        case preparation(sql: String, name: String)
        case statement
    }

    private func send(_ statements: [SQLStatement], _ parameters: [ParameterBytes]) throws(PostgresError) -> [Slot] {
        var slots: [Slot] = []
        var preparing: [String: String] = [:]
        for (statement, bytes) in zip(statements, parameters) {
            var name: String?
            if statement.isPrepared {
                name = names[statement.sql] ?? preparing[statement.sql]
                if name == nil {
                    let new = "\(prefix)\(names.count + preparing.count)"
                    guard PQsendPrepare(handle, new, statement.sql, 0, nil) == 1 else { throw ended() }
                    slots.append(.preparation(sql: statement.sql, name: new))
                    preparing[statement.sql] = new
                    name = new
                }
            }
            guard send(name, statement.sql, bytes) else { throw ended() }
            slots.append(.statement)
        }
        guard PQpipelineSync(handle) == 1 else { throw ended() }
        return slots
    }

    /// - Parameter name: that of the prepared statement; `nil` to send the text.
    private func send(_ name: String?, _ sql: String, _ parameters: ParameterBytes) -> Bool {
        let count = Int32(parameters.ranges.count)
        return parameters.bytes.withUnsafeBytes { bytes in
            // An empty value is not NULL, so it needs an address too.
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Self.emptyValue
            let values = parameters.ranges.map { range in range.map { UnsafePointer(start + $0.lowerBound) } }
            let lengths = parameters.ranges.map { Int32($0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: parameters.ranges.count)
            guard let name else { return PQsendQueryParams(handle, sql, count, nil, values, lengths, formats, 1) == 1 }
            return PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
    }

    nonisolated(unsafe) private static let emptyValue = {
        let value = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        value.initialize(to: 0)
        return UnsafePointer(value)
    }()

    private func flush(until deadline: UInt64) throws(PostgresError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                let events = try wait(for: Int16(POLLIN | POLLOUT), until: deadline)
                if events & Int16(POLLIN) != 0, PQconsumeInput(handle) != 1 { throw ended() }
            default: throw ended()
            }
        }
    }

    // MARK: Receiving

    private func collect(_ slots: [Slot], until deadline: UInt64) throws(PostgresError) -> [PostgresRows] {
        var results: [PostgresRows] = []
        var failure: PostgresError?
        var index = 0
        while true {
            guard let result = try next(until: deadline) else {
                // The end of one statement's results, or of the connection.
                guard PQstatus(handle) == CONNECTION_OK, index < slots.count else { throw failure ?? ended() }
                index += 1
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                if let failure { throw failure }
                return results
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                let rows = PostgresRows(result)
                guard index < slots.count else { throw .damaged("the server answered more than it was asked") }
                switch slots[index] {
                case .preparation(let sql, let name): names[sql] = name
                case .statement: results.append(rows)
                }
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                failure = failure ?? Self.failure(result)
                PQclear(result)
            }
        }
    }

    private func next(until deadline: UInt64) throws(PostgresError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            _ = try wait(for: Int16(POLLIN), until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw ended() }
        }
        return PQgetResult(handle)
    }

    /// The events of the socket.
    private func wait(for events: Int16, until deadline: UInt64) throws(PostgresError) -> Int16 {
        while true {
            let now = MonotonicTime.nanoseconds()
            guard now < deadline else {
                isUsable = false
                throw PostgresError(.deadline, "no answer in time")
            }
            var waited = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            let count = poll(&waited, 1, Int32(clamping: (deadline - now) / 1_000_000 + 1))
            if count > 0 { return waited.revents }
            if count < 0, errno != EINTR { throw ended() }
        }
    }

    // MARK: Failures

    private func ended() -> PostgresError {
        isUsable = false
        return PostgresError(.connection, Self.words(PQerrorMessage(handle)))
    }

    /// The primary message only: the others may show values.
    private static func failure(_ result: OpaquePointer) -> PostgresError {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_CONSTRAINT_NAME
        guard let state = field("C") else { return PostgresError(.connection, words(PQresultErrorMessage(result))) }
        let constraint = field("n").map { " (\($0))" } ?? ""
        return PostgresError(.server(state), (field("M") ?? "no message") + constraint)
    }

    /// libpq's message in one line.
    private static func words(_ message: UnsafePointer<CChar>?) -> String {
        let lines = message.map { String(cString: $0) }?.split(whereSeparator: \.isNewline) ?? []
        let text = lines.map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: "; ")
        return text.isEmpty ? "the server closed the connection" : text
    }
}

/// The warnings of the server during a call.
private final class Warnings {
    var texts: [String] = []
}

private func noteWarning(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let context, let result else { return }
    // PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_MESSAGE_PRIMARY
    func field(_ code: UnicodeScalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
    }
    guard field("V") == "WARNING" else { return }
    Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue().texts.append(field("M") ?? "a warning")
}
