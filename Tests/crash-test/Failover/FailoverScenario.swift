/// What happens to the daemons, the servers or the network in a round.
enum FailoverScenario: String, CaseIterable, Sendable {
    case killDaemon = "kill -9 of a daemon"
    case failover = "kill -9 of the primary, promotion"
    case partition = "a daemon's network cut"
    case stopDaemon = "SIGTERM of a daemon"
    case standbyAway = "standby away"
    case formerPrimary = "former primary comes back"
    case freezeDaemon = "SIGSTOP of a daemon"
    case crashPrimary = "primary crashes, restarts"
    case connections = "connections terminated"
    case killDaemonAtFailover = "kill -9 of primary and daemon"
    case freezePrimary = "SIGSTOP of the primary"
    case killBackend = "kill -9 of a server's process"
    case fullDisk = "the primary's disk full"

    /// Whether it needs network namespaces, or a file system of its own.
    var needsRoot: Bool { self == .partition || self == .fullDisk }
}
