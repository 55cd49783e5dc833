#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The calls of the system. Everything of the process stands here; the rest of the library only computes.
enum System {
    /// Why a call failed, as a sentence.
    struct Failure: Error {
        let sentence: String

        init(_ what: String) { sentence = "\(what): \(String(cString: strerror(errno)))" }
    }

    static func exit(_ status: Int32) -> Never {
        #if canImport(Glibc)
            Glibc.exit(status)
        #elseif canImport(Musl)
            Musl.exit(status)
        #else
            Darwin.exit(status)
        #endif
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The end of the daemon is seen as an error of write.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    static func complain(_ sentence: String) {
        var line = Array((sentence + "\n").utf8)
        while !line.isEmpty {
            let count = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            line.removeFirst(count)
        }
    }

    /// A clock that never goes back.
    static func microseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    /// Reads into `bytes` from `start` on. 0: the end.
    static func read(_ descriptor: Int32, into bytes: inout [UInt8], from start: Int) throws(Failure) -> Int {
        let count = bytes.withUnsafeMutableBytes { buffer in
            repeating {
                #if canImport(Glibc)
                    Glibc.read(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                #elseif canImport(Musl)
                    Musl.read(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                #else
                    Darwin.read(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start)
                #endif
            }
        }
        guard count >= 0 else { throw Failure("reading from the daemon failed") }
        return count
    }

    /// Writes all of `bytes`; the daemon always reads.
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(Failure) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                repeating { write(descriptor, buffer.baseAddress.map { $0 + start }, buffer.count - start) }
            }
            guard count >= 0 else { throw Failure("writing to the daemon failed") }
            start += count
        }
    }

    /// Waits until there is something to read, for at most so long. False: there is nothing yet.
    static func waits(_ descriptor: Int32, microseconds: Int64) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // Rounded up: a wait of 0 ms would spin.
        let milliseconds = Int32(clamping: (max(0, microseconds) + 999) / 1000)
        return repeating { Int(poll(&polled, 1, milliseconds)) } != 0
    }

    private static func repeating(_ call: () -> Int) -> Int {
        while true {
            let count = call()
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
