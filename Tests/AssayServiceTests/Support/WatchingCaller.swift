import AssayAPI
import AssayCore
import AssayRPC
import AssayService
import SwiftProtobuf
import Testing

/// A call of `Operations.Watch` that reads items as they come.
struct WatchingCaller {
    private let items: AsyncStream<Assay_V1_WatchItem>
    private let task: Task<RPCError?, Never>

    /// - Parameter pause: awaited before an item is taken, as a slow peer does it.
    init(
        _ harness: ServiceHarness, _ request: Assay_V1_WatchRequest = Assay_V1_WatchRequest(),
        peer: RPCPeer = ServiceHarness.loopback, pause: @escaping @Sendable () async -> Void = {}
    ) throws {
        let method = try #require(harness.methods.first { $0.path == API.watch.path })
        guard case .stream(let work) = method.handler else {
            throw RPCError(.internalError, "the method is no stream")
        }
        let (items, taken) = AsyncStream.makeStream(of: Assay_V1_WatchItem.self)
        let call = RPCCall(method: API.watch.path, message: try request.serializedBytes(), peer: peer) { _ in }
        let writer = RPCStreamWriter { bytes throws(RPCError) in
            await pause()
            guard let item = try? Assay_V1_WatchItem(serializedBytes: bytes) else { throw .undecodableMessage }
            taken.yield(item)
        }
        self.items = items
        task = Task {
            defer { taken.finish() }
            do throws(RPCError) { try await work(call, writer) } catch { return error }
            return nil
        }
    }

    /// The next items.
    func next(_ count: Int) async -> [Assay_V1_WatchItem] {
        var taken: [Assay_V1_WatchItem] = []
        for await item in items {
            taken.append(item)
            if taken.count == count { break }
        }
        return taken
    }

    /// The next events, without what is no event.
    func events(_ count: Int) async -> [Assay_V1_Event] {
        var taken: [Assay_V1_Event] = []
        for await item in items {
            if case .event(let event) = item.item { taken.append(event) }
            if taken.count == count { break }
        }
        return taken
    }

    /// The start of the stream.
    func start() async throws -> Assay_V1_WatchStart {
        let first = try #require(await next(1).first)
        guard case .start(let start) = first.item else { throw RPCError(.internalError, "the first item is no start") }
        return start
    }

    /// Waits for the end, and returns the error that it came with.
    func end() async -> RPCError? { await task.value }

    func cancel() async {
        task.cancel()
        _ = await task.value
    }
}
