#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the time of day. Time is a parameter everywhere else; only services ask a clock.
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
