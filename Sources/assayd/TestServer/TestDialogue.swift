import AssayClient
import AssayCore
import AssayEvidenceCases
import Foundation
import ServiceLifecycle

/// Answers the lines of standard input until it ends.
struct TestDialogue {
    let policy: CasePolicy

    func run(at ports: DevPorts) async throws {
        try await cancelWhenGracefulShutdown {
            let client = try AssayClient(address: ports.server)
            do {
                let maker = try EvidenceMaker(client, policy: policy)
                try Self.write(
                    CaseDialogue.ready(
                        app: policy.app,
                        [("version", Version.text), ("url", ports.url), ("framed", ports.server)]))
                for await line in InputLines(limit: CaseDialogue.lineLimit) {
                    try Self.write(await CaseDialogue.reply(to: line, by: maker))
                }
            } catch {
                await client.close()
                throw error
            }
            await client.close()
        }
    }

    /// Writes a line at once. A test that has ended reads no more: then the dialogue ends too.
    private static func write(_ line: [UInt8]) throws {
        try FileHandle.standardOutput.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
    }
}

/// The lines of standard input, without their ends, read on a thread of their own. A line that is too long is cut behind the limit by one byte,
/// so that its reader can tell.
struct InputLines: AsyncSequence {
    private let lines: AsyncStream<[UInt8]>

    init(limit: Int) {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        lines = stream
        let thread = Thread {
            Self.read(limit: limit) { continuation.yield($0) }
            continuation.finish()
        }
        thread.start()
    }

    func makeAsyncIterator() -> AsyncStream<[UInt8]>.AsyncIterator { lines.makeAsyncIterator() }

    private static func read(limit: Int, _ found: ([UInt8]) -> Void) {
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = buffer.withUnsafeMutableBytes { Foundation.read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for byte in buffer.prefix(count) {
                guard byte == UInt8(ascii: "\n") else {
                    if line.count <= limit { line.append(byte) }
                    continue
                }
                found(line)
                line.removeAll(keepingCapacity: true)
            }
        }
    }
}
