#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Provides the time of day. Everywhere else time is a parameter; only services ask a clock.
public protocol WallClock: Sendable {
    func now() -> Timestamp
}

/// The machine's clock.
public struct SystemClock: WallClock {
    public init() {}

    public func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(unixMilliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// The machine's uptime, including suspension. Unlike the wall clock it cannot be set.
public enum BootClock {
    #if canImport(Darwin)
        private static let id = CLOCK_MONOTONIC  // Continues while the machine is suspended.
    #else
        private static let id = CLOCK_BOOTTIME
    #endif

    /// In milliseconds.
    public static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// In microseconds.
    public static func microseconds() -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
