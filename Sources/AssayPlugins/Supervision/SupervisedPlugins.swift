import AssayCore
import AssayFiles
import Foundation
import Synchronization

/// The plugins of the catalog, each with its supervisor.
package final class SupervisedPlugins: Sendable {
    private struct State {
        var plugins: [String: PluginSupervisor] = [:]
        /// Whether a catalog was taken into use.
        var isPopulated = false
        var isStopped = false
        /// Supervisors that left, until their processes have ended.
        var leaving: [ObjectIdentifier: PluginSupervisor] = [:]
        var onChange: (@Sendable (PluginSupervisor) -> Void)?
    }

    private let environment: PluginEnvironment
    private let state = Mutex(State())
    package let quarantine: Quarantine

    package init(_ environment: PluginEnvironment) {
        self.environment = environment
        quarantine = Quarantine(
            folder: environment.stateFolder + "/quarantine", clock: environment.clock, logger: environment.logger)
    }

    // MARK: What there is

    /// In the order of their ids.
    package var all: [PluginSupervisor] { state.withLock { $0.plugins.values.sorted { $0.entry.id < $1.entry.id } } }

    package subscript(id: String) -> PluginSupervisor? { state.withLock { $0.plugins[id] } }

    /// Called when a plugin's description or readiness changes, from any thread.
    package var onChange: (@Sendable (PluginSupervisor) -> Void)? {
        get { state.withLock { $0.onChange } }
        set { state.withLock { $0.onChange = newValue } }
    }

    private func changed(_ plugin: PluginSupervisor) {
        let onChange = state.withLock { state in state.plugins[plugin.entry.id] === plugin ? state.onChange : nil }
        onChange?(plugin)
    }

    // MARK: Reload

    /// Starts what is new or changed beside what runs. One at a time.
    ///
    /// An entry that is unchanged, the content of its secret files included, keeps its processes. At the first call, when the daemon starts, a plugin that cannot be
    /// used does not refuse the others; ``PluginSupervisor/status`` says so.
    ///
    /// - Returns: takes the entries into use: new calls go to the new processes, the old ones answer what they have and end. Nothing of it can
    ///   fail. If it is released without being called, the new processes are ended.
    package func prepare(_ entries: [PluginEntry]) async throws(PluginReloadRefused) -> @Sendable () -> Void {
        var problems: [String] = []
        var ids: Set<String> = []
        for entry in entries where !ids.insert(entry.id).inserted {
            problems.append("\(entry.file): the id \(entry.id) is another entry's already")
        }
        guard problems.isEmpty else { throw PluginReloadRefused(problems: problems) }
        let (running, isPopulated) = state.withLock { ($0.plugins, $0.isPopulated) }
        var next: [String: PluginSupervisor] = [:]
        var fresh: [PluginSupervisor] = []
        for entry in entries {
            // One that was refused is tried again: its files may have changed.
            if let plugin = running[entry.id], plugin.entry == entry, plugin.hasItsConfiguration,
                plugin.status.state != .refused
            {
                next[entry.id] = plugin
            } else {
                let plugin = PluginSupervisor(entry, environment, quarantine, isEnabled: isEnabled(entry.id)) { [weak self] in
                    self?.changed($0)
                }
                plugin.start()
                next[entry.id] = plugin
                fresh.append(plugin)
            }
        }
        if isPopulated {
            for plugin in fresh {
                if case .refused(let why) = await plugin.firstStart.value { problems.append("\(plugin.entry.file): \(why)") }
            }
            guard problems.isEmpty else {
                for plugin in fresh { await plugin.stop() }
                throw PluginReloadRefused(problems: problems)
            }
        } else {
            await waitBriefly(for: fresh)
        }
        let exchange = Exchange(next, fresh)
        return { [self] in perform(exchange) }
    }

    /// Waits for the first starts: a plugin that is slow does not keep the daemon from serving other evidence for long.
    private func waitBriefly(for plugins: [PluginSupervisor]) async {
        let end = ContinuousClock.now + environment.times.patience
        while plugins.contains(where: { $0.firstStart.current == nil }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func perform(_ exchange: Exchange) {
        guard exchange.begin() else { return }
        let (old, isStopped) = state.withLock { state in
            let old = state.plugins.values.filter { exchange.next[$0.entry.id] !== $0 }
            guard !state.isStopped else { return (old, true) }
            (state.plugins, state.isPopulated) = (exchange.next, true)
            for plugin in old { state.leaving[ObjectIdentifier(plugin)] = plugin }
            return (old, false)
        }
        guard !isStopped else {
            for plugin in exchange.fresh { Task { await plugin.stop() } }
            return
        }
        for plugin in old {
            plugin.drain(to: exchange.next[plugin.entry.id])
            Task {
                await plugin.finished()
                state.withLock { _ = $0.leaving.removeValue(forKey: ObjectIdentifier(plugin)) }
            }
        }
        for plugin in exchange.fresh { changed(plugin) }
    }

    // MARK: Enabled and disabled

    private func mark(_ id: String) -> String { environment.stateFolder + "/disabled/" + id }

    private func isEnabled(_ id: String) -> Bool { !FileManager.default.fileExists(atPath: mark(id)) }

    /// Lets a plugin run again, closes its circuit breaker, and tries again what was refused.
    package func enable(_ id: String) async throws(PluginSwitchError) {
        guard let plugin = self[id] else { throw .unknown(id) }
        guard unlink(mark(id)) == 0 || errno == ENOENT else {
            throw .unwritable("\(mark(id)) cannot be removed: \(String(cString: strerror(errno)))")
        }
        plugin.enable()
    }

    /// Ends a plugin's processes once they have answered what they have. Outlasts a restart of the daemon.
    package func disable(_ id: String) async throws(PluginSwitchError) {
        guard let plugin = self[id] else { throw .unknown(id) }
        do throws(QuarantineFolderError) { try StateFolder.make(environment.stateFolder + "/disabled") } catch {
            throw .unwritable(error.description)
        }
        do throws(NewFileError) { try NewFile.create(mark(id), [], mode: 0o600) } catch .exists {} catch {
            throw .unwritable("\(mark(id)) \(error.description)")
        }
        await plugin.disable()
    }

    // MARK: The end

    /// Ends all processes.
    package func stop() async {
        let plugins = state.withLock { state in
            state.isStopped = true
            return Array(state.plugins.values) + Array(state.leaving.values)
        }
        await withTaskGroup(of: Void.self) { group in
            for plugin in plugins { group.addTask { await plugin.stop() } }
        }
    }
}

extension PluginSupervisor {
    /// Whether the plugin would be given the same configuration now. Secret files may have changed.
    fileprivate var hasItsConfiguration: Bool {
        guard let description, let digest = configurationDigest else { return true }
        return (try? entry.configuration.message(for: description)).map { Self.digest(of: $0) } == digest
    }
}

/// The plugins of a reload that is prepared. Ends the new ones if it does not come to the exchange.
private final class Exchange: Sendable {
    let next: [String: PluginSupervisor]
    let fresh: [PluginSupervisor]
    private let isDone = Mutex(false)

    init(_ next: [String: PluginSupervisor], _ fresh: [PluginSupervisor]) { (self.next, self.fresh) = (next, fresh) }

    /// True the first time.
    func begin() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }

    deinit {
        guard begin() else { return }
        for plugin in fresh { Task { await plugin.stop() } }
    }
}

/// Plugins of a new catalog cannot be used: nothing of it is taken.
package struct PluginReloadRefused: Error, Hashable, Sendable, CustomStringConvertible {
    /// Each with the file of its entry.
    package let problems: [String]
    package var description: String { problems.joined(separator: "\n") }
}

/// A plugin was not enabled or disabled.
package enum PluginSwitchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No entry of the catalog has this id.
    case unknown(String)
    /// The mark that a plugin is disabled cannot be written.
    case unwritable(String)

    package var description: String {
        switch self {
        case .unknown(let id): "the catalog has no entry with the id \(id)"
        case .unwritable(let why): why
        }
    }
}
