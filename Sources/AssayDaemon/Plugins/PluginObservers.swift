import AssayCore
import AssayPlugins
import AssayService

/// Hands verdicts to the plugins that observe.
final class PluginObservers: VerdictObserver {
    private let plugins: [PluginSupervisor]
    private let apps: Set<AppID>

    /// `nil` if none observes.
    init?(_ supervised: SupervisedPlugins?) {
        plugins = (supervised?.all ?? []).filter(\.entry.observes)
        apps = Set(plugins.flatMap(\.entry.apps))
        if plugins.isEmpty { return nil }
    }

    func observes(_ app: AppID) -> Bool { apps.contains(app) }

    func observe(_ verdicts: [GivenVerdict]) {
        for plugin in plugins { plugin.observe(verdicts) }
    }
}
