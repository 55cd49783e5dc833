import AssayCore
import Crypto
import Foundation

/// The examination of a plugin: what its author runs before anyone else does. Every process runs in the sandbox, started by the
/// launcher as the daemon starts it.
package struct PluginExamination: Sendable {
    package struct Options: Sendable {
        /// The plugin's configuration, if it is not that of the first accepted case or of the catalog's entry.
        package var configuration: PluginConfiguration?
        package var cases: [ExaminationCase] = []
        /// Calls of the check `memory`.
        package var calls = 10_000
        /// Of the check `restarts`.
        package var restarts = 1000
        /// How long an answer may take, and a start, and an end, where the check is of something else than the time. `nil`: as long as
        /// the entry allows a call (``PluginEntry/Limits``), at least 5 s.
        package var timeLimit: Duration?

        package init() {}
    }

    /// How far a long check is: calls or restarts that are done, of so many.
    package typealias Progress = @Sendable (ExaminationCheck, _ done: Int, _ of: Int) -> Void

    var plugin: ExaminedPlugin
    let options: Options
    let progress: Progress
    /// What the plugin says of itself, once it was started.
    private(set) var description: PluginDescription?
    let host = ExaminationHost()

    package init(_ plugin: ExaminedPlugin, _ options: Options, progress: @escaping Progress = { _, _, _ in }) {
        (self.plugin, self.options, self.progress) = (plugin, options, progress)
        self.plugin.timeLimit = options.timeLimit
    }

    /// Makes all checks in their order. After a plugin that does not start or describe itself nothing else can be examined.
    package mutating func run(_ onResult: (ExaminationResult) -> Void) async -> [ExaminationResult] {
        var results: [ExaminationResult] = []
        var obstacle: String?
        for check in ExaminationCheck.allCases {
            let began = ContinuousClock.now
            var outcome = ExaminationResult.Outcome.passed
            var sentence: String
            do {
                if let obstacle { throw CheckSkipped(obstacle) }
                sentence = try await make(check)
            } catch let skipped as CheckSkipped {
                (outcome, sentence) = (.skipped, skipped.description)
            } catch {
                (outcome, sentence) = (.failed, "\(error)")
                if check == .start || check == .description { obstacle = "the check '\(check.rawValue)' failed" }
                if check == .configuration { obstacle = await configurationObstacle() }
            }
            let result = ExaminationResult(
                check: check, outcome: outcome, sentence: sentence, duration: ContinuousClock.now - began)
            onResult(result)
            results.append(result)
        }
        return results
    }

    private mutating func make(_ check: ExaminationCheck) async throws -> String {
        switch check {
        case .start: try await start()
        case .description: try await describe()
        case .versions: try await versions()
        case .startedByHand: try await startedByHand()
        case .configuration: try await configurations()
        case .beforeConfigure: try await beforeConfigure()
        case .unknownMethod: try await unknownMethods()
        case .undecodableMessage: try await undecodableMessages()
        case .brokenFrames: try await brokenFrames()
        case .changedFrames: try await changedFrames()
        case .endWithinFrame: try await endWithinFrame()
        case .halfClose: try await halfClose()
        case .ping: try await pingAmongCalls()
        case .badBodies: try await badBodies()
        case .vectors: try await vectors()
        case .changedEvidence: try await changedEvidence()
        case .payload: try await partsOfPayloads()
        case .sameAnswer: try await sameAnswer()
        case .deadline: try await deadlines()
        case .memory: try await memory()
        case .restarts: try await restarts()
        case .output: try output()
        case .shutdown: try await ends()
        }
    }

    // MARK: What the checks share

    /// The first case that must be accepted.
    var good: ExaminationCase? {
        options.cases.first { if case .accepted = $0.expected { true } else { false } }
    }

    /// The configuration that must be good.
    var configuration: PluginConfiguration {
        options.configuration ?? (plugin.hasConfiguration ? plugin.entry.configuration : nil)
            ?? good.map { PluginConfiguration(message: $0.configuration) } ?? PluginConfiguration()
    }

    func described() throws -> PluginDescription {
        guard let description else { throw CheckSkipped("the plugin did not describe itself") }
        return description
    }

    func format(of request: PluginRequest) throws -> PluginFormat {
        guard let format = try described().formats.first(where: { $0.name == request.format }) else {
            throw CheckFailure("expected: the format \(request.format) of the cases; found: the plugin does not appraise it")
        }
        return format
    }

    /// As Configure is sent it.
    func message(_ configuration: PluginConfiguration) throws -> [UInt8] {
        let description = try described()
        do throws(PluginFault) {
            return try configuration.message(for: description)
        } catch { throw CheckFailure("expected: a configuration of the plugin's keys; found: \(error)") }
    }

    /// A process, described and configured.
    func open(
        _ configuration: PluginConfiguration? = nil, host: ExaminationHost? = nil
    ) async throws -> PluginSession {
        let described = try described()
        var setup = PluginSession.Setup(
            name: described.name, launch: plugin.launch, configuration: configuration ?? self.configuration,
            apps: plugin.apps(options.cases), services: Set(HostService.allCases), host: host ?? self.host)
        if plugin.isCatalogued { setup.services = plugin.entry.services }
        setup.startDeadline = max(setup.startDeadline, plugin.patience)
        do {
            return try await PluginSession.open(setup, daemonVersion: "examination")
        } catch { throw CheckFailure("expected: the plugin gets ready; found: \(error)") }
    }

    /// A process that is spoken to frame by frame, configured.
    func openRaw() async throws -> RawPlugin {
        let process = try await RawPlugin(plugin, host: host)
        let answer = try await process.configure(try message(configuration), apps: plugin.apps(options.cases))
        guard answer.isOK else { throw CheckFailure("expected: Configure is answered OK; found: \(answer.words)") }
        return process
    }

    /// How long a call is waited for. Whether an answer came within the deadline the check of it alone says.
    var timeout: Duration { max(plugin.callTime, plugin.patience) }

    /// Requests that the plugin can be sent: those of the cases with the good configuration, or some of random bytes.
    func requests() throws -> [(request: PluginRequest, world: ExaminationWorld)] {
        if let good {
            return options.cases.filter {
                $0.configuration == good.configuration && isWithinLimit($0.request) && isBound($0.request)
            }
            .map { ($0.request, $0.world) }
        }
        let app = plugin.entry.apps.first ?? AppID("app")
        guard let app, let format = try described().formats.first, let purpose = format.purposes.first else { return [] }
        return [16, 64, 256].map { count in
            (
                Self.request(format, purpose, app, Array(repeating: UInt8(ascii: "x"), count: min(count, format.sizeLimit))),
                .empty
            )
        }
    }

    /// Larger bodies are refused by the daemon.
    func isWithinLimit(_ request: PluginRequest) -> Bool {
        description?.formats.first { $0.name == request.format }.map { request.body.count <= $0.sizeLimit } ?? false
    }

    /// A part of a payload that nothing binds is refused by the daemon.
    private func isBound(_ request: PluginRequest) -> Bool {
        !request.payloadHash.isEmpty || description?.formats.first { $0.name == request.format }?.freshness != .payload
    }

    static func request(_ format: PluginFormat, _ purpose: Purpose, _ app: AppID, _ body: [UInt8]) -> PluginRequest {
        let isBound = format.freshness == .challenge || format.freshness == .payload
        return PluginRequest(
            app: app, format: format.name, purpose: purpose, body: body,
            clientData: isBound ? Array("client data of the examination".utf8) : nil,
            payloadHash: format.freshness == .payload ? SHA256.bytes(of: Array("payload of the examination".utf8)) : [],
            now: Timestamp(unixMilliseconds: 1_800_000_000_000), ceiling: .secureElement)
    }

    /// Takes the plugin at its word.
    mutating func take(_ response: PluginDescription) {
        description = response
        guard !plugin.isCatalogued else { return }
        plugin.entry.name = response.name
        plugin.entry.formats = response.formats.map(\.name)
        plugin.entry.services = response.hostServices
    }

    private func configurationObstacle() async -> String? {
        do {
            _ = await (try await open()).close()
            return nil
        } catch {
            return "the plugin has no configuration that it takes: give one by --configuration, or cases by --vectors"
        }
    }

    /// The end that is expected after half-close.
    func requireCleanEnd(_ end: ProcessEnd?, _ what: String, _ process: PluginProcess) throws {
        guard end == .exited(status: 0) else {
            let found = end.map { "it \($0)" } ?? "it runs on"
            throw CheckFailure(
                "expected: exit with status 0 within 2 s \(what); found: \(found)"
                    + (process.lastLines.last.map { "; its last line: \($0)" } ?? ""))
        }
    }

    /// Bytes that show what was sent, for a sentence.
    static func shown(_ bytes: [UInt8]) -> String {
        bytes.count <= 24
            ? "\(bytes.count) bytes \(Hex.encode(bytes))" : "\(bytes.count) bytes \(Hex.encode(bytes.prefix(24)))…"
    }
}

/// Numbers that are the same in every run, so that a failure can be repeated (SplitMix64).
struct RepeatableRandom: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
