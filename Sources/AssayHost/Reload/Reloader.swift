package import AssayCore
package import AssayService
package import Logging

/// Exchanges the configuration of a running daemon for what its file says now: all of it, or nothing.
///
/// A file that cannot be read, that is wrong, that a step cannot be prepared for, or that changes what needs a restart changes
/// nothing: the daemon always runs what one file said.
package struct Reloader: Sendable {
    private let running: Configuration
    private let read: @Sendable () throws -> Configuration
    private let steps: [ReloadStep]
    private let problem: ReloadProblem.Slot
    private let clock: any WallClock
    private let logger: Logger

    /// - Parameters:
    ///   - running: what the daemon was started with.
    ///   - read: reads the file anew.
    package init(
        running: Configuration, read: @escaping @Sendable () throws -> Configuration, steps: [ReloadStep],
        problem: ReloadProblem.Slot, clock: any WallClock = SystemClock(), logger: Logger
    ) {
        (self.running, self.read, self.steps) = (running, read, steps)
        (self.problem, self.clock, self.logger) = (problem, clock, logger)
    }

    /// To be called by one task at a time. Returns why nothing was changed, or nil.
    @discardableResult
    package func reload() async -> String? {
        do throws(StartupError) {
            try await exchange()
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

    private func exchange() async throws(StartupError) {
        let new: Configuration
        do { new = try read() } catch { throw StartupError("\(error)") }
        let fixed = running.sectionsThatNeedARestart(new)
        guard fixed.isEmpty else { throw StartupError("what changed needs a restart: \(fixed.joined(separator: ", "))") }
        var exchanges: [ReloadStep.Exchange] = []
        for step in steps {
            do { exchanges.append(try await step.prepare(new)) } catch { throw StartupError("\(step.name): \(error)") }
        }
        for exchange in exchanges { exchange() }
        logger.notice(
            "configuration loaded",
            metadata: ["digest": "\(Hex.encode(new.digest))", "steps": "\(steps.map(\.name).joined(separator: ", "))"])
        for warning in new.warnings { logger.warning("\(warning)") }
    }
}
