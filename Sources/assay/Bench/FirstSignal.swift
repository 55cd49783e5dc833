import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Calls a closure at the first Ctrl-C or SIGTERM. One that comes a second later or after ends the process as usual: some programs send
/// the first twice, to a process and to its group.
final class FirstSignal: Sendable {
    // Only cancelled, which is safe from any thread.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init(_ action: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                action()
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { signal(number, SIG_DFL) }
            }
            source.resume()
            return source
        }
    }

    func cancel() { for source in sources { source.cancel() } }
}
