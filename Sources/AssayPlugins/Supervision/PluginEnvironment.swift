package import AssayCore
package import Logging

/// What the supervision of all plugins has in common.
package struct PluginEnvironment: Sendable {
    /// The path of `assay-plugin-launcher`.
    package var launcher: String
    /// The user and group of plugins if the daemon runs as root.
    package var user: Sandbox.User?
    /// Holds private copies, the quarantine, and which plugins are disabled. Made with mode 0700 if it is missing.
    package var stateFolder: String
    package var daemonVersion: String
    /// Makes the host of a plugin.
    package var host: @Sendable (PluginEntry) -> any PluginHost
    package var logger: Logger
    /// For times that people read. Intervals are measured by a clock that is never set.
    package var clock: any WallClock
    package var times = SupervisionTimes()

    package init(
        launcher: String, user: Sandbox.User? = nil, stateFolder: String, daemonVersion: String,
        host: @escaping @Sendable (PluginEntry) -> any PluginHost, logger: Logger, clock: any WallClock = SystemClock()
    ) {
        (self.launcher, self.user, self.stateFolder) = (launcher, user, stateFolder)
        (self.daemonVersion, self.host, self.logger, self.clock) = (daemonVersion, host, logger, clock)
    }
}

/// Intervals that are the same for all plugins (`docs/reference/plugin-protocol.md`).
package struct SupervisionTimes: Hashable, Sendable {
    /// From the start of a process until it describes itself, and again until it is configured.
    package var start = Duration.seconds(10)
    /// How long the start of the daemon waits for plugins that are not required.
    package var patience = Duration.seconds(3)
    /// How long a process may take to end after the half-close.
    package var stopGrace = Duration.seconds(2)
    /// A process without an answer for this long, and with nothing in flight, is pinged.
    package var idle = Duration.seconds(30)
    /// How long the pong may take.
    package var pong = Duration.seconds(5)
    /// How long a process that closed its connection may take to end by itself, so that its own status is known.
    package var exit = Duration.milliseconds(100)

    package init() {}
}
