package import AssayConfiguration
package import AssayCore
package import AssayService
package import Logging

/// Replaces the configuration of a running daemon with the current content of its file: all of it, or nothing.
///
/// Nothing changes if the file cannot be read, has errors, cannot be prepared by a step, or differs in a section that needs a
/// restart: the daemon always runs the configuration of one file.
package struct Reloader: Sendable {
    private let running: FixedConfiguration
    private let read: @Sendable () throws -> Configuration
    private let steps: [ReloadStep]
    private let problem: ReloadProblem.Slot
    private let changes: ChangeRecorder?
    private let clock: any WallClock
    private let logger: Logger
    private let turns = ReloadTurns()

    /// - Parameters:
    ///   - running: what a reload cannot change, as it was at start.
    ///   - read: reads the file again.
    ///   - changes: records each configuration put in force.
    package init(
        running: FixedConfiguration, read: @escaping @Sendable () throws -> Configuration, steps: [ReloadStep],
        problem: ReloadProblem.Slot, changes: ChangeRecorder? = nil, clock: any WallClock = SystemClock(), logger: Logger
    ) {
        (self.running, self.read, self.steps) = (running, read, steps)
        (self.problem, self.changes, self.clock, self.logger) = (problem, changes, clock, logger)
    }

    /// Returns why nothing was changed, or `nil`. One reload comes after the other.
    @discardableResult
    package func reload(by origin: ChangeOrigin = .signal) async -> String? {
        await turns.run { await self.perform(origin) }
    }

    private func perform(_ origin: ChangeOrigin) async -> String? {
        do throws(StartupError) {
            try await exchange(origin)
            problem.value = nil
            return nil
        } catch {
            let refusal = ReloadProblem(at: clock.now(), text: error.description)
            problem.value = refusal
            logger.error(
                "the configuration is refused, the one in force stays", metadata: ["problem": "\(refusal.text)"])
            return refusal.text
        }
    }

    private func exchange(_ origin: ChangeOrigin) async throws(StartupError) {
        let new: Configuration
        do { new = try await BackgroundThread.run("assay-reload", read) } catch { throw StartupError("\(error)") }
        let fixed = running.sections(thatDifferIn: new.fixed)
        guard fixed.isEmpty else { throw StartupError("what changed needs a restart: \(fixed.joined(separator: ", "))") }
        var exchanges: [ReloadStep.Exchange] = []
        for step in steps {
            do { exchanges.append(try await step.prepare(new.live)) } catch { throw StartupError("\(step.name): \(error)") }
        }
        for exchange in exchanges { exchange() }
        logger.notice(
            "configuration loaded",
            metadata: ["digest": "\(Hex.encode(new.live.digest))", "steps": "\(steps.map(\.name).joined(separator: ", "))"])
        for warning in new.warnings { logger.warning("\(warning)") }
        await changes?.record(
            .configurationLoad(new.live.digest, version: Version.text, by: origin), at: clock.now())
    }
}

/// Lets reloads come one after the other, also if several are asked for.
private actor ReloadTurns {
    private var last: Task<String?, Never>?

    func run(_ reload: @escaping @Sendable () async -> String?) async -> String? {
        let before = last
        let task = Task {
            _ = await before?.value
            return await reload()
        }
        last = task
        return await task.value
    }
}

/// One consumer of the configuration while the daemon runs.
///
/// A reload prepares all steps and only then exchanges all of them: errors appear before anything changes.
package struct ReloadStep: Sendable {
    /// Replaces the old settings with the new ones. It cannot fail.
    package typealias Exchange = @Sendable () -> Void

    /// A property of the configuration.
    package typealias Followed = PartialKeyPath<LiveConfiguration> & Sendable

    /// The name in the log.
    package let name: String
    /// The properties of the configuration that the step follows, alone or with others.
    package let follows: [any Followed]
    /// Makes what the configuration requires, without changing anything; throws the reason if it cannot.
    package let prepare: @Sendable (LiveConfiguration) async throws -> Exchange

    package init(
        _ name: String, follows: [any Followed],
        prepare: @escaping @Sendable (LiveConfiguration) async throws -> Exchange
    ) {
        (self.name, self.follows, self.prepare) = (name, follows, prepare)
    }
}
