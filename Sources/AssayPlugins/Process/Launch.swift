import CPluginProcess
import Glibc

/// How a plugin's process is started: what runs, and what the launcher is to enforce. `plugins/launcher/README.md` explains each demand.
package struct Launch: Sendable {
    /// The path of `assay-plugin-launcher`.
    package var launcher: String
    /// A descriptor of the executable: a sealed memory file. The owner closes it.
    package var executable: CInt
    /// The plugin's arguments; the first is its name.
    package var arguments: [String]
    package var sandbox: Sandbox
    /// Names and values with `=` between them.
    var environment = Launch.environment
    /// Whether what the sandbox would forbid is allowed and logged by the kernel. For a plugin that one trusts.
    var explains = false

    package init(launcher: String, executable: CInt, arguments: [String], sandbox: Sandbox) {
        (self.launcher, self.executable, self.arguments, self.sandbox) = (launcher, executable, arguments, sandbox)
    }

    /// `docs/reference/plugin-protocol.md`, "The process".
    static let environment = [
        "ASSAY_PLUGIN_COOKIE=1b5f6a40-assay-plugin-v1", "ASSAY_PLUGIN_PROTOCOLS=1", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
        "TZ=UTC",
        "SWIFT_BACKTRACE=enable=no",
    ]

    /// The launcher's arguments, without its name.
    var options: [String] {
        ["--parent", String(getpid()), "--exec-fd"] + environment.flatMap { ["--env", $0] } + sandbox.options
            + (explains ? ["--explain", "--accept-weaker"] : []) + ["--"]
            + arguments
    }

    /// Calls the body with what `posix_spawn` takes.
    func withArguments<T>(
        _ body: (
            UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        ) -> T
    ) -> T {
        var arguments = ([launcher] + options).map { strdup($0) } + [nil]
        // The launcher needs no variable, and the plugin gets those of its options.
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for argument in arguments { free(argument) } }
        return body(launcher, &arguments, &environment)
    }
}

/// What a plugin may do, and how strongly that is held. Nothing by default.
package struct Sandbox: Hashable, Sendable {
    /// Limits of the process. `nil`: that of the daemon.
    package struct Limits: Hashable, Sendable {
        /// Bytes of address space (`RLIMIT_AS`).
        package var addressSpace: UInt64? = 1 << 30
        /// Open descriptors.
        package var descriptors: UInt64 = 64
        /// Bytes of a file that it writes, memory files included.
        package var fileSize: UInt64 = 1 << 20
        /// Seconds of processor time in the life of a process.
        package var processorSeconds: UInt64?
        /// Threads of a process. One with more is killed.
        package var threads = 128
        /// The nice value of a process: the higher, the less of a contended processor it gets.
        package var nice = 5

        package init() {}
    }

    package var limits = Limits()
    /// Files and folders that it may read.
    package var readable: [String] = []
    /// Files and folders that it may read and run: the ELF interpreter of a dynamic executable.
    package var executable: [String] = []
    /// TCP ports that it may connect to, at any address.
    package var ports: [UInt16] = []
    package var allowsUDP = false
    package var allowsProcesses = false
    /// The user and group that the plugin runs as if the daemon runs as root.
    package var user: User?
    /// Whether it starts although something that is demanded cannot be enforced.
    package var acceptsWeaker = false

    package struct User: Hashable, Sendable {
        package let id: UInt32
        package let group: UInt32
        package init(id: UInt32, group: UInt32) { (self.id, self.group) = (id, group) }
    }

    package init() {}

    /// As options of the launcher.
    var options: [String] {
        var options: [String] = []
        func add(_ name: String, _ value: String) { options += [name, value] }
        if let bytes = limits.addressSpace { add("--limit", "as=\(bytes)") }
        add("--limit", "nofile=\(limits.descriptors)")
        add("--limit", "fsize=\(limits.fileSize)")
        if let seconds = limits.processorSeconds { add("--limit", "cpu=\(seconds)") }
        add("--threads", String(limits.threads))
        add("--nice", String(limits.nice))
        if let user { add("--user", "\(user.id):\(user.group)") }
        for path in readable { add("--ro", path) }
        for path in executable { add("--rx", path) }
        for port in ports { add("--connect", String(port)) }
        if allowsUDP { options.append("--udp") }
        if allowsProcesses { options.append("--processes") }
        if acceptsWeaker { options.append("--accept-weaker") }
        return options
    }
}
