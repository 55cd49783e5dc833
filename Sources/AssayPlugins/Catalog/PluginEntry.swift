package import AssayCore
import Crypto

/// One entry of the catalog: what runs, what it may do, and for whom. `docs/reference/configuration/plugins.md` describes each key.
package struct PluginEntry: Hashable, Sendable {
    /// How the plugin's judgement counts where several judge one format.
    package enum Role: String, CaseIterable, Hashable, Sendable {
        /// It decides. Each app and format has one at most.
        case primary
        /// It judges the same evidence beside, differences are counted, and it never decides.
        case shadow
        /// It decides together with the primary, or with Assay's own verifier: each must accept.
        case all
    }

    package struct Limits: Hashable, Sendable {
        /// Of one call, from the write of its frame.
        package var deadline = Duration.seconds(2)
        /// How much longer than the deadline a call may stay unanswered before the process is killed.
        package var grace = Duration.seconds(1)
        /// Calls that one process has at a time.
        package var concurrency = 64
        /// Processes.
        package var processes = 1
        /// Calls that wait for a process, and the bytes of their evidence. Above either, calls are answered UNAVAILABLE.
        package var queue = 1024
        package var queueBytes = 32 << 20

        package init() {}
    }

    /// When a process that ended is started again.
    package struct Restart: Hashable, Sendable {
        /// The delay after the first death; it doubles with each further one.
        package var firstDelay = Duration.milliseconds(200)
        package var longestDelay = Duration.seconds(30)
        /// The part of a delay by which it varies at random, to either side.
        package var jitter = 0.2
        /// After this time without a death the delay is the first again.
        package var healthyAfter = Duration.seconds(60)
        /// So many deaths within the window open the circuit breaker.
        package var deaths = 5
        package var window = Duration.seconds(60)
        /// How long the breaker stays open before one process is tried with one call.
        package var openFor = Duration.seconds(60)

        package init() {}
    }

    /// Unique in the catalog, [a-z0-9-]{1,64}; the name unless the entry says otherwise. Two versions of a plugin have one name and
    /// two ids.
    package var id: String
    /// The plugin's own name, as it answers Describe. Key ids and tokens are derived from it.
    package var name: String
    /// The catalog's file, for messages.
    package var file: String
    /// An absolute path of an ELF executable.
    package var command: String
    /// In them `{folder}` stands for the private copy of `folder`.
    package var arguments: [String]
    /// A folder that is hashed as a whole and run from a private copy, for plugins in an interpreted language.
    package var folder: String?
    package var manifest: PluginManifest
    /// Formats that it may serve.
    package var formats: [EvidenceFormat]
    /// Whether verdicts may be sent to it.
    package var observes = false
    /// The apps that it serves.
    package var apps: [AppID]
    /// Services of the host that it may use.
    package var services: Set<HostService> = []
    package var configuration = PluginConfiguration()
    /// Certificates (DER) for GetAnchors.
    package var anchors: [[UInt8]] = []
    /// The most that its judgement may give.
    package var ceiling = Assurance.software
    package var role = Role.primary
    /// Whether it judges built-in formats in place of Assay. Otherwise it can only reject them.
    package var replacesBuiltIn = false
    /// Whether the daemon is not ready before the plugin is.
    package var isRequired = false
    package var limits = Limits()
    package var sandbox = Sandbox()
    package var restart = Restart()

    package init(
        id: String, name: String, file: String, command: String, arguments: [String] = [], folder: String? = nil,
        manifest: PluginManifest, formats: [EvidenceFormat], apps: [AppID]
    ) {
        (self.id, self.name, self.file, self.command, self.arguments) = (id, name, file, command, arguments)
        (self.folder, self.manifest, self.formats, self.apps) = (folder, manifest, formats, apps)
    }
}

extension PluginEntry {
    /// Whether its judgement counts for a verdict.
    package var decides: Bool { role != .shadow && !formats.isEmpty }

    /// Whether it alone accepts evidence of the format: otherwise Assay or another entry does.
    package func isPrimary(for format: EvidenceFormat) -> Bool {
        role == .primary && formats.contains(format) && (replacesBuiltIn || !EvidenceFormat.described.contains(format))
    }

    /// Adds everything of the entry that bears on a verdict to a policy.
    package func describe(in policy: inout PolicyText) {
        policy.add("id", id)
        policy.add("name", name)
        policy.add("command", command)
        policy.mark(UInt64(arguments.count))
        // An argument may be anything, also a path to a secret: a digest tells that it changed.
        for argument in arguments {
            policy.add("arguments", hashed: argument, shown: "SHA-256 \(Hex.encode(SHA256.bytes(of: Array(argument.utf8))))")
        }
        policy.add("manifest", manifest.digest)
        policy.add("configuration", configuration.digest)
        policy.mark(UInt64(formats.count))
        for format in formats.map(\.rawValue).sorted() { policy.add("formats", format) }
        policy.add("role", role.rawValue)
        policy.add("ceiling", hashed: UInt64(ceiling.rawValue), shown: ceiling.name)
        policy.add("replace_built_in", flag: replacesBuiltIn)
        policy.mark(UInt64(anchors.count))
        for digest in anchors.map({ SHA256.bytes(of: $0) }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            policy.add("anchors", digest)
        }
    }
}
