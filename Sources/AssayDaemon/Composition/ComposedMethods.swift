import AssayConfiguration
import AssayCore
import AssayPlugins
import AssayService
import Synchronization

/// The methods of the configuration in force, composed again when a plugin describes itself again.
final class ComposedMethods: Sendable {
    private struct State {
        var live: LiveConfiguration
        var loadedAt: Timestamp
        /// What the plugins had said of themselves when the methods were composed.
        var descriptions: [PluginDescription?]
        var services: ComposedServices
    }

    let methods: ReloadableMethods
    private let parts: DaemonParts
    private let kept: KeptByMethods
    private let state: Mutex<State>

    init(_ parts: DaemonParts, _ kept: KeptByMethods, _ live: LiveConfiguration) {
        let (loadedAt, descriptions) = (parts.base.clock.now(), parts.plugins.administration.descriptions)
        (self.parts, self.kept) = (parts, kept)
        let services = ServiceComposition(parts, kept, live, loadedAt: loadedAt).services
        state = Mutex(State(live: live, loadedAt: loadedAt, descriptions: descriptions, services: services))
        methods = ReloadableMethods(services.methods)
    }

    /// As the configuration in force has them.
    var services: ComposedServices { state.withLock { $0.services } }

    /// Puts a configuration in force.
    func compose(under new: LiveConfiguration) {
        state.withLock { state in
            (state.live, state.loadedAt) = (new, parts.base.clock.now())
            compose(&state)
        }
    }

    /// Follows what plugins say of themselves: that one ended, or is ready again, changes no method.
    func follow() {
        state.withLock { state in
            if state.descriptions != parts.plugins.administration.descriptions { compose(&state) }
        }
    }

    /// Under the lock, so that the methods of an earlier configuration never replace those of a later one.
    private func compose(_ state: inout State) {
        state.descriptions = parts.plugins.administration.descriptions
        state.services = ServiceComposition(parts, kept, state.live, loadedAt: state.loadedAt).services
        methods.exchange(for: state.services.methods)
    }
}
