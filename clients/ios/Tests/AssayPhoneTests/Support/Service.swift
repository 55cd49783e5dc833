import Foundation

/// A daemon, and before it the upload handler of docs/start/protect-an-upload.md, as it stands there.
final class Service {
    let folder: URL
    let phones: [URL]
    private let programs: Programs
    private var daemon: Process?
    private var handler: Process?
    private(set) var port: UInt16 = 0

    /// Six folders up from this file.
    /// The handler and the client that it uses; a packaged copy of clients/ios is without them.
    static let isAtHand = ["docs/start/protect-an-upload.md", "examples/python/assay_client.py"].allSatisfy {
        FileManager.default.fileExists(atPath: repository.appendingPathComponent($0).path)
    }

    private static let repository = (1...6).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
    }

    /// - Parameter phones: how many virtual iPhones the daemon's configuration accepts.
    init(phones count: Int, programs: Programs) throws {
        self.programs = programs
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assay-phone-\(UUID().uuidString.prefix(8))")
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        phones = (1...count).map { folder.appendingPathComponent("iphone-\($0)") }
        do { try start() } catch {
            end()
            throw error
        }
    }

    func end() {
        endDaemon()
        // A thread of Swift's pool starts its children with all signals blocked, and Python leaves them so.
        if let handler, handler.isRunning {
            kill(handler.processIdentifier, SIGKILL)
            handler.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    func endDaemon() {
        guard let daemon, daemon.isRunning else { return }
        daemon.terminate()
        daemon.waitUntilExit()
    }

    private func start() throws {
        for phone in phones {
            let options = ["--app-id", "TEAMID1234.com.example.photos"]
            _ = try Programs.need(programs.assay, ["simulate", "phone", phone.path] + options, in: folder)
        }
        let roots = phones.map { $0.appendingPathComponent("root.pem").path }.joined(separator: ", ")
        let configuration = """
            listen: [{unix: assayd.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            trust: {test_roots: [\(roots)]}
            apps:
              photos:
                accept_simulated: true
                binding: {payload: required}
                app_attest: {identities: [{app_id: TEAMID1234.com.example.photos}]}
            """
        let file = folder.appendingPathComponent("assayd.yaml")
        try Data(configuration.utf8).write(to: file)
        daemon = try Programs.start(
            programs.assayd, ["--config", file.path], in: folder, log: folder.appendingPathComponent("assayd.log")
        ).process
        _ = try Programs.need(programs.assay, ["status", "--server", "unix:assayd.sock", "--retries", "5"], in: folder)
        try startHandler()
    }

    private func startHandler() throws {
        let page = try String(
            contentsOf: Self.repository.appendingPathComponent("docs/start/protect-an-upload.md"), encoding: .utf8)
        let fixed = "http.server.ThreadingHTTPServer((\"127.0.0.1\", 8080), Handler).serve_forever()"
        let free = """
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
                print(server.server_port, flush=True)
                server.serve_forever()
            """
        guard let from = page.range(of: "<!-- run: file uploads.py -->\n```python\n"),
            let to = page.range(of: "\n```\n", range: from.upperBound..<page.endIndex),
            case let code = String(page[from.upperBound..<to.lowerBound]), code.contains(fixed)
        else { throw Programs.Failure(description: "protect-an-upload.md has no handler as it was") }
        let file = folder.appendingPathComponent("uploads.py")
        try Data(code.replacingOccurrences(of: fixed, with: free).utf8).write(to: file)
        let started = try Programs.start(
            programs.python, ["-B", file.path], in: folder, log: folder.appendingPathComponent("uploads.log"),
            environment: ["PYTHONPATH": Self.repository.appendingPathComponent("examples/python").path])
        handler = started.process
        let line = String(decoding: started.output.availableData, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let port = UInt16(line) else { throw Programs.Failure(description: "the handler does not listen: \(line)") }
        self.port = port
    }

    /// The verdicts that the handler logged: "accepted=True repeated=False reason=-".
    func verdicts() throws -> [String] {
        try String(contentsOf: folder.appendingPathComponent("uploads.log"), encoding: .utf8).split(separator: "\n")
            .filter { $0.contains("verdict request=") }
            .map { line in line.split(separator: " ").filter { $0.contains("=") }.dropFirst().prefix(3).joined(separator: " ") }
    }
}
