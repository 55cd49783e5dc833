import Foundation

/// Valgrind's tool Callgrind around a daemon: it counts instructions and calls while it is told to.
final class Callgrind {
    /// The command that runs a daemon under it.
    let wrapper: [String]
    private let folder: URL
    private var dumps = 0

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-callgrind-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        wrapper = [
            "/usr/bin/env", "valgrind", "--tool=callgrind", "--quiet", "--instr-atstart=no",
            "--callgrind-out-file=\(folder.path)/out",
        ]
    }

    /// A copy of a program that has its symbols, and no debug information: Valgrind stops at a form of DWARF that it does not know.
    func prepared(_ executable: String) throws -> String {
        let copy = folder.appending(path: "program").path
        _ = try Self.output(of: ["strip", "--strip-debug", "-o", copy, executable])
        return copy
    }

    /// What `valgrind --version` says.
    static func version() throws -> String {
        try output(of: ["valgrind", "--version"]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Counts what a daemon does during `work`. Without counting it is several times faster.
    func counting<Result>(_ daemon: DaemonProcess, _ work: () throws -> Result) throws -> Result {
        try tell(daemon, "instrumentation", "on")
        let result = try work()
        try tell(daemon, "instrumentation", "off")
        return result
    }

    /// Begins to count from nothing.
    func reset(_ daemon: DaemonProcess) throws { try tell(daemon, "zero") }

    /// What was counted since the last reset.
    struct Dump {
        fileprivate let file: URL
    }

    /// Writes what was counted to a file, which is read later: the daemon goes on meanwhile.
    func dump(of daemon: DaemonProcess) throws -> Dump {
        try tell(daemon, "dump")
        dumps += 1
        return Dump(file: folder.appending(path: "out.\(dumps)"))
    }

    /// Reads a dump, and removes it.
    ///
    /// - Parameter kept: gets the whole profile; a file that is there is replaced.
    func profile(_ dump: Dump, keeping kept: URL? = nil) throws -> CallgrindProfile {
        defer { try? FileManager.default.removeItem(at: dump.file) }
        if let kept {
            try? FileManager.default.removeItem(at: kept)
            try FileManager.default.copyItem(at: dump.file, to: kept)
        }
        return try CallgrindProfile(contentsOf: dump.file)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func tell(_ daemon: DaemonProcess, _ words: String...) throws {
        _ = try Self.output(of: ["vgdb", "--pid=\(daemon.processID)"] + words)
    }

    private static func output(of command: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        (process.arguments, process.standardOutput, process.standardError) = (command, pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: command, output: output) }
        return output
    }

    struct Failure: Error, CustomStringConvertible {
        let command: [String]
        let output: String

        var description: String { "\(command.joined(separator: " ")) failed: \(output)" }
    }
}
