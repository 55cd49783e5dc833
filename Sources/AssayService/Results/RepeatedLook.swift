import ServiceLifecycle

/// Looks at something in every period, and soon when it is asked to: one look after the other, and requests that come meanwhile are one.
struct RepeatedLook: Sendable {
    private let period: Duration
    private let requests: AsyncStream<Void>
    private let request: AsyncStream<Void>.Continuation

    init(every period: Duration) {
        (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.period = period
    }

    /// Asks for a look soon. Never waits.
    func wake() { request.yield() }

    /// Looks until graceful shutdown.
    func run(_ look: @escaping @Sendable () async -> Void) async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while (try? await Task.sleep(for: self.period)) != nil { self.request.yield() }
                }
                for await _ in self.requests { await look() }
                group.cancelAll()
            }
        }
    }
}
