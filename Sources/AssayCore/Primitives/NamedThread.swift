#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread for blocking work. The pool that runs tasks has one thread for each core, and must not wait for disks.
package final class NamedThread: Sendable {
    private let id: pthread_t

    /// `nil` if the system creates no thread. The name is cut to 15 bytes, the limit of Linux.
    package init?(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, nil, threadMain, start.toOpaque())
        guard code == 0 else {
            start.release()
            return nil
        }
        #if canImport(Darwin)
            guard let thread else { return nil }
        #endif
        id = thread
    }

    /// Waits until the body has returned. Called once.
    package func join() { pthread_join(id, nil) }
}

private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) { (self.name, self.body) = (String(name.prefix(15)), body) }

    func run() {
        #if canImport(Darwin)
            pthread_setname_np(name)
        #else
            // pthread_setname_np is a GNU extension that Swift does not import. It writes to this file.
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            if file >= 0 {
                _ = write(file, name, name.utf8.count)
                _ = close(file)
            }
        #endif
        body()
    }
}

#if canImport(Darwin)
    private func threadMain(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run()
        return nil
    }
#else
    private func threadMain(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().run() }
        return nil
    }
#endif
