import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Foundation

struct AuditExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Export the audit log as JSON Lines, for keeping and verifying it elsewhere.",
        discussion: """
            Ends with the head of the chain, signed by the ledger's key. Where several daemons share a ledger, an export has the \
            chain of one writer. An export to a file can be resumed: later \
            records are appended. "assay audit verify FILE" verifies it.

            Exit status: 0 done; 1 written up to a break of the chain, or records are withheld because the \
            caller may not use every app; 65 the file cannot be written or resumed; 69 the daemon is unavailable; 77 not \
            permitted.
            """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var writer: AuditWriterOption

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
            throw Console.failure("chain_broken", "\(fault). Is every app open to this caller?")
        case .failed(let why): throw Console.unreadable(why)
        }
    }

    private enum Ending {
        case done(count: Int64, AuditChain)
        case broken(AuditError)
        case failed(String)
    }

    private func export(_ client: AssayClient, to target: AuditExportTarget) async throws(AssayError) -> Ending {
        let status = try await client.status(timeout: server.limit)
        let heads = status.signedAuditHeads
        guard let head = writer.writer.map({ name in heads.first { $0.writer == name } }) ?? heads.first else {
            return .failed(
                writer.writer.map { "the daemon shows no signed head of the writer \"\($0)\"" }
                    ?? "the daemon shows no signed head")
        }
        if let kept = target.writer, kept != head.writer {
            return .failed("the file has the chain of \(kept.isNamed ? "the writer \"\(kept)\"" : "a ledger with one writer")")
        }
        let begun: AuditChain
        if let chain = target.chain {
            begun = chain
        } else if let chain = try await start(client, head.writer) {
            begun = chain
        } else {
            return .failed("there is no record \(from ?? 1)")
        }
        var verifier = AuditVerifier(from: begun, expecting: [ExpectedAuditHead(head.chain)])
        var progress = ContinuousClock.now
        do {
            if target.chain == nil { try target.write([.start(begun, of: head.writer)]) }
            while verifier.chain.number < head.chain.number, !verifier.isDecided {
                let reading = try await client.audit(
                    of: head.writer, from: verifier.chain.number &+ 1, timeout: server.limit)
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
    private func start(_ client: AssayClient, _ writer: AuditWriter) async throws(AssayError) -> AuditChain? {
        let reading = try await client.audit(
            of: writer, from: max(0, (from ?? 1) - 1), limit: 1, timeout: server.limit)
        guard let from, from > reading.start.number + 1 else {
            return from.map { $0 == reading.start.number + 1 } ?? true ? reading.start : nil
        }
        return reading.rows.first.flatMap { $0.number == from - 1 ? AuditChain(number: $0.number, head: $0.head) : nil }
    }
}

/// The destination of an export.
struct AuditExportTarget {
    private let handle: FileHandle
    private let isFile: Bool
    /// The chain after the existing lines; `nil` for a new export.
    let chain: AuditChain?
    /// Whose chain the existing lines are; `nil` for a new export.
    let writer: AuditWriter?

    /// - Parameters:
    ///   - path: a file; `nil`: standard output.
    ///   - resume: append to the file. Otherwise the file must not exist: exports are never overwritten.
    init(_ path: String?, resume: Bool) throws {
        guard let path else {
            (handle, isFile, chain, writer) = (.standardOutput, false, nil, nil)
            return
        }
        isFile = true
        let descriptor = open(path, resume ? O_RDWR | O_CLOEXEC : O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let why = errno == EEXIST ? "it is there already; add to it with --resume" : String(cString: strerror(errno))
            throw LineReader.Failure(description: "\(path) cannot be written: \(why)")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        chain = resume ? try Self.end(of: handle, path) : nil
        writer = chain == nil ? nil : try Self.writer(of: handle, path)
    }

    /// Removes an incomplete last line, and returns the chain after the last complete one.
    private static func end(of handle: FileHandle, _ path: String) throws -> AuditChain? {
        let size = try handle.seekToEnd()
        let window = min(size, UInt64(2 * LineReader.lineLimit))
        try handle.seek(toOffset: size - window)
        let tail = try handle.read(upToCount: Int(window)) ?? Data()
        guard let end = tail.lastIndex(of: UInt8(ascii: "\n")) else {
            // Only an incomplete first line of an export is removed, never another file's content.
            guard size == window, AuditExportLine.mayBegin(with: tail) else {
                throw LineReader.Failure(description: "\(path) holds no export of the audit log")
            }
            try handle.truncate(atOffset: 0)
            return nil
        }
        let last = tail[..<end].split(separator: UInt8(ascii: "\n")).last ?? Data()
        guard let line = AuditExportLine(String(decoding: last, as: UTF8.self)) else {
            throw LineReader.Failure(description: "the last line of \(path) is not of an export of the audit log")
        }
        try handle.truncate(atOffset: size - window + UInt64(end - tail.startIndex) + 1)
        try handle.seekToEnd()
        return line.chain
    }

    /// Whose chain the first line says that the file has. The place in the file is its end before and after.
    private static func writer(of handle: FileHandle, _ path: String) throws -> AuditWriter {
        try handle.seek(toOffset: 0)
        var reader = LineReader(handle)
        guard let first = try reader.next(), case .start(_, let writer) = AuditExportLine(first) else {
            throw LineReader.Failure(description: "the first line of \(path) is not of an export of the audit log")
        }
        try handle.seekToEnd()
        return writer
    }

    func write(_ lines: [AuditExportLine]) throws {
        let text = lines.map { Console.text(json: $0.json) + "\n" }.joined()
        try handle.write(contentsOf: Data(text.utf8))
    }

    /// When this returns, the file is on disk.
    func finish() throws {
        if isFile { try handle.synchronize() }
    }
}
