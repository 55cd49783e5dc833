import AssayPKCS11
import Foundation
import Testing

/// SoftHSM with tokens of its own: "ca", "other", and two with the label "twin", all with the PIN 1234.
struct SoftHSM {
    static let module = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so"]
        .first { FileManager.default.fileExists(atPath: $0) }
    static let isInstalled = module != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/softhsm2-util")
    /// Made before the module is initialised, which reads SOFTHSM2_CONF then.
    static let shared = Result { try SoftHSM() }

    static let pin = "1234"
    let folder: URL
    var tokens: URL { folder.appending(path: "tokens") }
    var pinFile: String { folder.appending(path: "pin").path() }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "assay-softhsm-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: tokens, withIntermediateDirectories: true)
        let configuration = folder.appending(path: "softhsm2.conf")
        try Data("directories.tokendir = \(tokens.path())\nobjectstore.backend = file\nlog.level = ERROR\n".utf8)
            .write(to: configuration)
        setenv("SOFTHSM2_CONF", configuration.path(), 1)
        atexit { if let made = try? SoftHSM.shared.get() { try? FileManager.default.removeItem(at: made.folder) } }
        for label in ["ca", "other", "twin", "twin"] {
            try run("softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "5678", "--pin", Self.pin)
        }
        try write("pin", Self.pin + "\n")
    }

    /// Writes a file of mode 0600, and returns its path.
    @discardableResult
    func write(_ name: String, _ text: some StringProtocol) throws -> String { try write(name, Array(text.utf8)) }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder.appending(path: name).path()
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// What a program of /usr/bin prints; it has to succeed.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> String { try run(program, arguments: arguments) }

    @discardableResult
    func run(_ program: String, arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/" + program)
        process.arguments = arguments
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(program) \(arguments): \(text)")
        return text
    }

    func token(
        _ selector: TokenSelector = .label("ca"), states: StateLog = StateLog(),
        _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> Token {
        var settings = TokenSettings(module: try #require(Self.module), token: selector, pinFile: pinFile)
        (settings.firstRetry, settings.longestRetry, settings.checkInterval) = (1, 10, 600_000)
        settings.deadline = 60_000
        change(&settings)
        return try Token(settings, onChange: states.append)
    }
}
