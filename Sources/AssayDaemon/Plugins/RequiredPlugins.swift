import AssayPlugins
import Logging

/// Waits at the start for the plugins that the catalog marks as required.
struct RequiredPlugins {
    let supervised: SupervisedPlugins
    let logger: Logger
    var patience = Duration.seconds(60)

    /// Returns when each is ready. Throws if one cannot be started, or is not ready in time. A plugin that an operator disabled is not
    /// waited for.
    func awaitReadiness() async throws {
        let end = ContinuousClock.now + patience
        for plugin in supervised.all where plugin.entry.isRequired {
            while let why = plugin.outage {
                switch plugin.status.state {
                case .disabled:
                    logger.warning("a required plugin is disabled", metadata: ["plugin": "\(plugin.entry.id)"])
                case .refused: throw StartupError("the required plugin \(plugin.entry.id) cannot be started: \(why)")
                default:
                    guard ContinuousClock.now < end else {
                        throw StartupError("the required plugin \(plugin.entry.id) is not ready: \(why)")
                    }
                    try await Task.sleep(for: .milliseconds(20))
                    continue
                }
                break
            }
        }
    }
}
