import ArgumentParser
import AssayAPI
import AssayAudit
import AssayClient
import AssayCore
import AssayFiles
import Foundation

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the chain of the audit log and find the first changed record.",
        discussion: """
            Reads an exported file, or without one the log of a daemon: the chains of all writers where several daemons share a \
            ledger. A log that was cut at its end, or rewritten from \
            some record on, is detected only with a head that was kept elsewhere: --expect-head takes the heads of the \
            status and of the daemon's log. Signed heads are verified with --public-key, which should be kept elsewhere too.

            A log may begin later than with record 1, because old records were dropped as configured. Another cut of its \
            front is detected only with information kept elsewhere: --expect-start takes the number of the \
            first record, or the head before it, which the daemon's log states each time it drops records.

            A head or start with WRITER/ before it is one of that writer's chain, and the chain has to be there. One without is of the \
            daemon's own chain, or of that in the file.

            Exit status: 0 whole; 1 a chain is broken, an expected head or writer is not there, or the log begins elsewhere than expected; 64 wrong usage; 65 a file that is not an export; \
            69 the daemon is unavailable; 77 not permitted.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "An export of the log.")
    var file: String?

    @OptionGroup var expected: AuditCheckOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        let expectations = try expected.expectations()
        let report = if let file { try read(file, expectations) } else { try await readDaemon(expectations) }
        if json { Console.print(json: report.json) } else { report.lines.forEach(Console.print) }
        guard report.isWhole else { throw ExitCode(1) }
    }

    // MARK: An export

    private func read(_ path: String, _ expectations: AuditExpectations) throws -> AuditLogReport {
        if let problem = BoundedFile.problem(at: path) { throw Console.unreadable("\(path) \(problem)") }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Console.unreadable("\(path) cannot be opened") }
        var reader = LineReader(handle)
        var number = 0
        var found: AuditCheck?
        do {
            while found?.isDecided != true, let text = try reader.next() {
                number += 1
                let line = AuditExportLine(text)
                if found == nil, case .start(let chain, let writer) = line {
                    var check = expectations.check(of: writer, own: writer)
                    check.begin(at: chain)
                    found = check
                } else {
                    guard let line, Self.take(line, &found) else {
                        throw LineReader.Failure(description: "line \(number) is not of an export of the audit log")
                    }
                }
            }
        } catch {
            throw Console.unreadable("\(path): \(error)")
        }
        guard var check = found else { throw Console.unreadable("\(path) holds no export of the audit log") }
        return expectations.report([check.finish()], own: check.writer)
    }

    /// False if the line is out of sequence: before the first, or a second first line.
    private static func take(_ line: AuditExportLine, _ check: inout AuditCheck?) -> Bool {
        guard check != nil else { return false }
        switch line {
        case .start: return false
        case .row(let row, let isFaithful):
            check?.take(row)
            if !isFaithful {
                check?.report(AuditError(.changed, at: row.number, "its line shows something else than the record says"))
            }
        case .signedHead(let head): check?.take(head)
        }
        return true
    }

    // MARK: A daemon

    private func readDaemon(_ begun: AuditExpectations) async throws -> AuditLogReport {
        let report = try await server.with { client throws(AssayError) -> AuditLogReport? in
            var expectations = begun
            let status = try await client.status(timeout: server.limit)
            for head in status.signedAuditHeads { expectations.expect(ExpectedAuditHead(head)) }
            let writers = try status.auditWriters()
            let own = writers.first ?? .only
            var reports: [AuditReport] = []
            for writer in writers {
                var check = expectations.check(of: writer, own: own)
                guard try await follow(writer, client, &check) else { return nil }
                reports.append(check.finish())
            }
            return expectations.report(reports, own: own)
        }
        guard let report else { throw Console.unreadable("records were dropped while they were read; try again") }
        return report
    }

    /// Reads one chain. False if records were dropped meanwhile.
    private func follow(
        _ writer: AuditWriter, _ client: AssayClient, _ check: inout AuditCheck
    ) async throws(AssayError) -> Bool {
        var next: Int64 = 0
        while !check.isDecided {
            let reading = try await client.audit(of: writer, from: next, timeout: server.limit)
            if !check.hasBegun { check.begin(at: reading.start) }
            guard reading.start.number < max(next, 1) || reading.start == check.chain else { return false }
            for row in reading.rows { check.take(row) }
            next = max(next &+ 1, reading.next)
            guard reading.hasMore else { break }
        }
        return true
    }
}

extension Assay_V1_StatusResponse {
    /// The writers of the daemon's ledger; its own is first. A daemon that lists none has one without a name.
    fileprivate func auditWriters() throws(AssayError) -> [AuditWriter] {
        guard !store.writers.isEmpty else { return [.only] }
        var writers: [AuditWriter] = []
        for message in store.writers {
            guard let writer = AuditWriter(field: message.name) else {
                throw AssayError(.internalError, "the status names a writer that cannot be")
            }
            writers.append(writer)
        }
        return writers
    }
}
