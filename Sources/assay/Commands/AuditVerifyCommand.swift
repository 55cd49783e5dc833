import ArgumentParser
import AssayAPI
import AssayAudit
import AssayClient
import AssayCore
import Foundation

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the chain of the audit log and find the first changed record.",
        discussion: """
            Reads an exported file, or without one the log of a daemon. A log that was cut at its end, or rewritten from \
            some record on, is detected only with a head that was kept elsewhere: --expect-head takes the heads of the \
            status and of the daemon's log. Signed heads are verified with --public-key, which should be kept elsewhere too.

            A log may begin later than with record 1, because old records were dropped as configured. Another cut of its \
            front is detected only with information kept elsewhere: --expect-start takes the number of the \
            first record, or the head before it, which the daemon's log states each time it drops records.

            Exit status: 0 whole; 1 broken, an expected head is not there, or the log begins elsewhere than expected; 64 wrong usage; 65 a file that is not an export; \
            69 the daemon is unavailable; 77 not permitted.
            """)

    @OptionGroup var server: ServerOptions

    @Argument(help: "An export of the log.")
    var file: String?

    @OptionGroup var expected: AuditCheckOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() async throws {
        var check = try expected.check()
        if let file { try read(file, &check) } else { check = try await readDaemon(check) }
        let report = check.finish()
        if json { Console.print(json: report.json) } else { report.lines.forEach(Console.print) }
        guard report.isWhole else { throw ExitCode(1) }
    }

    // MARK: An export

    private func read(_ path: String, _ check: inout AuditCheck) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Console.unreadable("\(path) cannot be opened") }
        var reader = LineReader(handle)
        var number = 0
        do {
            while !check.isDecided, let text = try reader.next() {
                number += 1
                guard let line = AuditExportLine(text), take(line, &check) else {
                    throw LineReader.Failure(description: "line \(number) is not of an export of the audit log")
                }
            }
        } catch {
            throw Console.unreadable("\(path): \(error)")
        }
        guard check.hasBegun else { throw Console.unreadable("\(path) holds no export of the audit log") }
    }

    /// False if the line is out of sequence.
    private func take(_ line: AuditExportLine, _ check: inout AuditCheck) -> Bool {
        switch line {
        case .start(let chain):
            guard !check.hasBegun else { return false }
            check.begin(at: chain)
        case .row(let row, let isFaithful):
            guard check.hasBegun else { return false }
            check.take(row)
            if !isFaithful {
                check.report(AuditError(.changed, at: row.number, "its line shows something else than the record says"))
            }
        case .signedHead(let head):
            guard check.hasBegun else { return false }
            check.take(head)
        }
        return true
    }

    // MARK: A daemon

    private func readDaemon(_ begun: AuditCheck) async throws -> AuditCheck {
        let (check, dropped) = try await server.with { client throws(AssayError) in
            var check = begun
            let status = try await client.status(timeout: server.limit)
            if let head = SignedAuditHead(status) { check.expect(ExpectedAuditHead(head)) }
            var next: Int64 = 0
            while !check.isDecided {
                let reading = try await client.audit(from: next, timeout: server.limit)
                if !check.hasBegun { check.begin(at: reading.start) }
                guard reading.start.number < max(next, 1) || reading.start == check.chain else { return (check, true) }
                for row in reading.rows { check.take(row) }
                next = max(next &+ 1, reading.next)
                guard reading.hasMore else { break }
            }
            return (check, false)
        }
        if dropped { throw Console.unreadable("records were dropped while they were read; try again") }
        return check
    }
}
