import Foundation

/// The programs that the test against a daemon needs: `assayd` and `assay` of the folder that `ASSAY_HOME` names (in its `bin`) or of the
/// `PATH`, and a Python with protobuf for the handler of the documentation.
struct Programs {
    let assayd: URL
    let assay: URL
    let python: URL

    static let found: Programs? = {
        let environment = ProcessInfo.processInfo.environment
        var folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        if let home = environment["ASSAY_HOME"] { folders.insert(home + "/bin", at: 0) }
        func program(_ name: String) -> URL? {
            folders.map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        }
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        guard Service.isAtHand, let assayd = program("assayd"), let assay = program("assay"),
            FileManager.default.isExecutableFile(atPath: python.path),
            (try? run(python, ["-c", "import google.protobuf"], in: FileManager.default.temporaryDirectory))?.status == 0
        else { return nil }
        return Programs(assayd: assayd, assay: assay, python: python)
    }()

    struct Result {
        let status: Int32
        let output: Data
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    @discardableResult
    static func run(_ program: URL, _ arguments: [String], in folder: URL) throws -> Result {
        let process = Process()
        let output = Pipe()
        (process.executableURL, process.arguments, process.currentDirectoryURL) = (program, arguments, folder)
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: data)
    }

    /// Runs a program to its end, which must be a success.
    static func need(_ program: URL, _ arguments: [String], in folder: URL) throws -> Data {
        let result = try run(program, arguments, in: folder)
        guard result.status == 0 else {
            throw Failure(
                description: "\(program.lastPathComponent) \(arguments.joined(separator: " ")): status \(result.status)")
        }
        return result.output
    }

    /// Starts a program, whose standard error goes to a file. `output`: where its standard output can be read.
    static func start(
        _ program: URL, _ arguments: [String], in folder: URL, log: URL, environment: [String: String] = [:]
    ) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        let output = Pipe()
        try Data().write(to: log)
        (process.executableURL, process.arguments, process.currentDirectoryURL) = (program, arguments, folder)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardOutput, process.standardError) = (output, try FileHandle(forWritingTo: log))
        try process.run()
        return (process, output.fileHandleForReading)
    }
}
