import Foundation

/// Framed connections that have made one call and rest: what they take of the daemon's memory.
enum IdleConnections {
    static let wanted = 20_000
    /// Of the whole daemon, at the wanted number.
    static let bar = 250e6

    struct Result: Codable {
        let connections: Int
        /// Resident memory of the daemon before the first connection, and with all.
        let bytesBefore: Double
        let bytes: Double
        let barBytes: Double

        /// Whether the memory is within the bar, in proportion if there were fewer connections.
        var isHeld: Bool { bytes <= barBytes * Double(connections) / Double(IdleConnections.wanted) }

        var text: String {
            "\(connections) idle framed connections: \(bytes.bytes) of the daemon's memory (\(bytesBefore.bytes) before), "
                + "bar \(barBytes.bytes) at \(IdleConnections.wanted): \(isHeld ? "held" : "NOT held")"
        }
    }

    static func measure(executable: String) throws -> Result {
        let count = try allowed()
        // One caller may not take the last sixteenth (docs/reference/configuration/limits.md).
        let daemon = try DaemonProcess(
            executable: executable, DaemonConfiguration(connections: count + count / 10))
        defer { daemon.stop() }
        try daemon.waitForAnswer()
        let before = try daemon.residentBytes()
        let call = try PlainFrame.call(1, ChallengeLoad.request())
        let connections = try (0..<count).map { _ in
            let connection = try PlainConnection(daemon.address, reading: 4096)
            guard try connection.exchange(call, frames: 1).allSatisfy({ PlainFrame.answer($0) != nil }) else {
                throw POSIXError(.EPROTO)
            }
            return connection
        }
        let result = Result(
            connections: connections.count, bytesBefore: before, bytes: try daemon.residentBytes(), barBytes: bar)
        return withExtendedLifetime(connections) { result }
    }

    /// As many as both processes may have open, beside their other files.
    private static func allowed() throws -> Int {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(files, &limit) == 0 else { throw POSIXError(.EPERM) }
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(wanted + 500)))
        guard setrlimit(files, &limit) == 0 else { throw POSIXError(.EPERM) }
        let allowed = min(wanted, Int(limit.rlim_cur) - 500)
        guard allowed > 0 else { throw POSIXError(.EMFILE) }
        return allowed
    }
}
