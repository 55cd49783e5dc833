import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export the audit log as JSON Lines, for keeping and verifying it elsewhere.",
        discussion: """
            Ends with the head of the chain, signed by the ledger's key. An export to a file can be resumed: later \
            records are appended. "assay audit verify FILE" verifies it.

            Exit status: 0 done; 1 written up to a break of the chain, or records are withheld because the \
            caller may not use every app; 65 the file cannot be written or resumed; 69 the daemon is unavailable; 77 not \
            permitted.
            """)

    @OptionGroup var server: ServerOptions

    @Option(help: ArgumentHelp("The file to write; standard output if it is left out.", valueName: "file"))
    var out: String?

    @Flag(help: "Append to the file.")
    var resume = false

    @Option(help: ArgumentHelp("The number of the first record to write.", valueName: "number"))
    var from: Int64?

    func validate() throws {
        if resume, out == nil { throw ValidationError("--resume needs --out.") }
        if resume, from != nil { throw ValidationError("--resume goes on where the file ends: leave --from out.") }
        if let from, from < 1 { throw ValidationError("--from must be at least 1.") }
    }

    func run() async throws {
        let target: AuditExportTarget
        do {
            target = try AuditExportTarget(out, resume: resume)
        } catch {
            throw Console.unreadable("\(error)")
        }
        let ending = try await server.with { client throws(AssayError) in try await export(client, to: target) }
        switch ending {
        case .done(let count, let chain): Console.note("\(count) records written, up to \(ExpectedAuditHead(chain))")
        case .broken(let fault):
            Console.error("\(fault). Is every app open to this caller?")
            throw ExitCode(1)
        case .failed(let why): throw Console.unreadable(why)
        }
    }

    private enum Ending {
        case done(count: Int64, AuditChain)
        case broken(AuditFault)
        case failed(String)
    }

    private func export(_ client: AssayClient, to target: AuditExportTarget) async throws(AssayError) -> Ending {
        let status = try await client.status(timeout: server.limit)
        guard let head = SignedAuditHead(status) else { return .failed("the daemon shows no signed head") }
        let begun: AuditChain
        if let chain = target.chain {
            begun = chain
        } else if let chain = try await start(client) {
            begun = chain
        } else {
            return .failed("there is no record \(from ?? 1)")
        }
        var verifier = AuditVerifier(from: begun, expecting: [ExpectedAuditHead(head.chain)])
        var progress = ContinuousClock.now
        do {
            if target.chain == nil { try target.write([.start(begun)]) }
            while verifier.chain.number < head.chain.number, !verifier.isDecided {
                let reading = try await client.audit(from: verifier.chain.number &+ 1, timeout: server.limit)
                let rows = reading.rows.filter { $0.number <= head.chain.number }
                let before = verifier.chain.number
                for row in rows { verifier.take(row) }
                // Only chained records are written: a resumed export then continues from a valid end.
                try target.write(rows.filter { $0.number <= verifier.chain.number }.map { .row($0, isFaithful: true) })
                if verifier.chain.number == before { break }
                if progress.duration(to: .now) > .seconds(1) {
                    Console.note("\(verifier.chain.number) of \(head.chain.number) records")
                    progress = .now
                }
            }
            if let fault = verifier.finish() { return .broken(fault) }
            try target.write([.signedHead(head)])
            try target.finish()
        } catch let error as AssayError {
            throw error
        } catch {
            return .failed("\(error)")
        }
        return .done(count: verifier.chain.number - begun.number, verifier.chain)
    }

    /// The chain before the first record to be written; `nil` if that record is not there.
    private func start(_ client: AssayClient) async throws(AssayError) -> AuditChain? {
        let reading = try await client.audit(from: max(0, (from ?? 1) - 1), limit: 1, timeout: server.limit)
        guard let from, from > reading.start.number + 1 else {
            return from.map { $0 == reading.start.number + 1 } ?? true ? reading.start : nil
        }
        return reading.rows.first.flatMap { $0.number == from - 1 ? AuditChain(number: $0.number, head: $0.head) : nil }
    }
}
