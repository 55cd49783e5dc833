import ArgumentParser
import AssayClient
import AssayCore

struct AuditTailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show the last records of the audit log.",
        discussion: "Shows 20 records, or with --since all from then on; with -f also new ones, until it is stopped.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var writer: AuditWriterOption
    @OptionGroup var records: AuditFilterOptions

    @Option(name: .shortAndLong, help: "How many records to show, at most 100000.")
    var number: Int?

    @Flag(name: .shortAndLong, help: "Continue with new records.")
    var follow = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        if let number, !(0...100_000).contains(number) { throw ValidationError("--number must be from 0 to 100000.") }
    }

    func run() async throws {
        let isEmpty = try await server.with { client throws(AssayError) in
            var next: Int64
            var shown = 0
            if number == nil, records.since != nil {
                (shown, next) = try await showAll(client)
            } else {
                let newest = try await client.audit(of: writer.name, from: .max, limit: 1, timeout: server.limit)
                let found = try await last(number ?? 20, of: newest, client)
                found.forEach(show)
                (shown, next) = (found.count, max(newest.last &+ 1, 1))
            }
            let isEmpty = shown == 0 && number != 0
            if isEmpty { try await client.requireApp(records.app, timeout: server.limit) }
            while follow, !Task.isCancelled {
                let reading = try await client.audit(of: writer.name, from: next, filter: records.filter, timeout: server.limit)
                reading.rows.forEach(show)
                next = max(next, reading.next)
                if !reading.hasMore { try? await Task.sleep(for: .seconds(1)) }
            }
            return isEmpty
        }
        if isEmpty { Console.sayEmpty("the audit log has no record\(records.isAny ? "" : " that is as asked for")") }
    }

    private func show(_ row: AuditRow) {
        if json { Console.print(json: row.json, pretty: false) } else { Console.print(row.line) }
    }

    /// Shows every record that the filter accepts, and returns how many, and where they ended.
    private func showAll(_ client: AssayClient) async throws(AssayError) -> (shown: Int, next: Int64) {
        var (shown, next): (Int, Int64) = (0, 0)
        while true {
            let reading = try await client.audit(of: writer.name, from: next, filter: records.filter, timeout: server.limit)
            reading.rows.forEach(show)
            shown += reading.rows.count
            next = max(next &+ 1, reading.next)
            guard reading.hasMore else { return (shown, next) }
        }
    }

    /// The last records that the filter accepts, searched from the end in windows.
    private func last(
        _ count: Int, of newest: AssayClient.AuditReading, _ client: AssayClient
    ) async throws(AssayError) -> ArraySlice<AuditRow> {
        let window = Int64(AuditPage.limit)
        var found: [AuditRow] = []
        var end = newest.last
        while found.count < count, end > newest.start.number {
            let begin = max(newest.start.number, end - window)
            var rows: [AuditRow] = []
            var next = begin &+ 1
            while next <= end {
                let reading = try await client.audit(
                    of: writer.name, from: next, limit: Int(end - next) + 1, filter: records.filter, timeout: server.limit)
                rows += reading.rows
                next = max(next &+ 1, reading.next)
            }
            found = rows + found
            end = begin
        }
        return found.suffix(count)
    }
}
