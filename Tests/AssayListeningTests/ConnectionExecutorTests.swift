import AssayListening
import NIOCore
import NIOPosix
import Testing

@Suite("Executor of a connection", .timeLimit(.minutes(30)))
struct ConnectionExecutorTests {
    /// Where a task runs that prefers the executor: at its beginning, and after it has waited for another thread.
    private func places(on executor: ConnectionExecutor, _ loop: any EventLoop) async -> [Bool] {
        await Task(executorPreference: executor) {
            let atFirst = loop.inEventLoop
            await withCheckedContinuation { waiter in
                Task.detached { waiter.resume() }
            }
            return [atFirst, loop.inEventLoop]
        }.value
    }

    @Test(
        "A task that prefers the executor of a connection runs on its event loop, and elsewhere once the connection has ended")
    func runs() async {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let executor = ConnectionExecutor(loop)
        #expect(await places(on: executor, loop) == [true, true])
        executor.close()
        #expect(await places(on: executor, loop) == [false, false])
    }

    @Test("A task that waits while its connection ends goes on after the event loop has ended")
    func outlives() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let executor = ConnectionExecutor(loop)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let task = Task(executorPreference: executor) {
            begin.finish()
            for await _ in ended {}
            return loop.inEventLoop
        }
        for await _ in began {}
        try await loop.submit { executor.close() }.get()
        try await group.shutdownGracefully()
        end.finish()
        #expect(await task.value == false)
    }
}
