import AssayAPI
import AssayClient
import AssayCore
import Foundation

/// One part of a capture whose CPU is measured.
struct CapturePart {
    enum Subject {
        /// Uploads of 800 chunks to a daemon, so many chunks stated in each call.
        case uploads(DaemonProcess, AssayClient, chunks: Int)
        /// Calls of Appraise, one after the other.
        case called(PluginPeer, PluginCase)
    }

    /// For people.
    let title: String
    /// In milliseconds.
    let bound: Double
    let subject: Subject
    /// Of each round, in milliseconds.
    var costs: [Double] = []
}

extension CapturePart.Subject {
    /// Starts and configures a plugin.
    static func plugin(_ command: [String], _ found: PluginCase) throws -> Self {
        let peer = try PluginPeer(command)
        try peer.start(found.format, configuration: found.configuration)
        return .called(peer, found)
    }

    /// CPU of the process for one upload or call, in milliseconds.
    func milliseconds(uploads: Int, calls: Int) async throws -> Double {
        switch self {
        case .uploads(let daemon, let client, let chunks):
            let plans = (0..<uploads).map { _ in StatedPayload() }
            let before = try daemon.cpuSeconds()
            for plan in plans { try await plan.upload(over: client, chunks) }
            return (try daemon.cpuSeconds() - before) / Double(uploads) * 1e3
        case .called(let peer, let found):
            let before = try peer.cpuSeconds()
            _ = try peer.appraise(found.request, calls, window: 1)
            return (try peer.cpuSeconds() - before) / Double(calls) * 1e3
        }
    }
}

/// The hashes of a payload of 50 MiB in chunks of 64 KiB. There are no bytes: those stay with a caller.
private struct StatedPayload {
    private let payload = SecureRandom.bytes(32)
    private let chunks = (0..<ChunkPlan.countLimit).map { index in
        UploadChunk(index: index, size: ChunkPlan.chunkSizes.lowerBound, sha256: SecureRandom.bytes(32))
    }

    /// Begins, states all chunks, and finishes.
    ///
    /// - Parameter count: chunks of a call.
    func upload(over client: AssayClient, _ count: Int) async throws {
        let app = try DaemonConfiguration.phoneApp
        let begun = try await client.beginUpload(
            of: app, size: UInt64(ChunkPlan.sizeLimit), chunkSize: UInt32(ChunkPlan.chunkSizes.lowerBound),
            payloadSHA256: payload)
        guard let id = UploadID(bytes: Array(begun.uploadID)), begun.total == chunks.count else {
            throw AssayError(.internalError, "an upload was not begun")
        }
        for start in stride(from: 0, to: chunks.count, by: count) {
            _ = try await client.putChunks(Array(chunks[start..<min(start + count, chunks.count)]), of: id, in: app)
        }
        let finished = try await client.finalizeUpload(
            id, in: app, UploadStatement(count: chunks.count, payloadSHA256: payload))
        guard finished.state == .finished else { throw AssayError(.internalError, "an upload was not finished") }
    }
}
