import AssayConfiguration
import AssayCore
import AssayPlugins
import AssayService
import Logging

/// What the plugins of the catalog are to one app: verifiers of their formats, second opinions on others, and who is asked.
struct AppPlugins: Sendable {
    private(set) var verifiers: [any EvidenceVerifier]
    private(set) var sources: [EvidenceFormat: any OpinionSource] = [:]
    /// Of formats whose judgement is a plugin's. One that only gives a second opinion prepares nothing.
    private(set) var preparers: [EvidenceFormat: any EvidencePreparer] = [:]
    /// Formats that cannot be judged before their plugin has described them.
    private(set) var unavailable: [EvidenceFormat: String] = [:]
    private let app: AppID
    private let logger: Logger

    /// - Parameters:
    ///   - own: the app's verifiers of the formats that are built in.
    ///   - supervised: `nil`: no plugin runs, so that what depends on one stays unjudged.
    init(of app: AppConfiguration, beside own: [any EvidenceVerifier], _ supervised: SupervisedPlugins?, logger: Logger) {
        (self.app, verifiers, self.logger) = (app.id, own, logger)
        guard let supervised else {
            leaveUnasked(app.plugins.filter(\.decides))
            return
        }
        let plugins = app.plugins.compactMap { supervised[$0.id] }
        for format in Set(plugins.flatMap(\.entry.formats)).sorted(by: { $0.rawValue < $1.rawValue }) {
            add(format, of: plugins.filter { $0.entry.formats.contains(format) })
        }
    }

    /// Leaves open what the plugins would decide. Evidence that Assay's own verifier refuses is refused all the same.
    private mutating func leaveUnasked(_ plugins: [PluginEntry]) {
        for entry in plugins {
            for format in entry.formats {
                if entry.isPrimary(for: format) {
                    verifiers.removeAll { $0.format == format }
                    unavailable[format] = "\(entry.id): plugins are not asked here"
                } else if let own = verifiers.firstIndex(where: { $0.format == format }) {
                    verifiers[own] = UnaskedVerifier(own: verifiers[own], plugin: entry.id)
                }
            }
        }
    }

    private mutating func add(_ format: EvidenceFormat, of plugins: [PluginSupervisor]) {
        let shadows = plugins.filter { $0.entry.role == .shadow }
        let primary = plugins.first { $0.entry.isPrimary(for: format) }
        let others = plugins.filter { $0.entry.role != .shadow && $0 !== primary }
        let own = verifiers.firstIndex { $0.format == format }
        // Without a verifier of its own the app does not accept the format.
        guard primary != nil || own != nil else { return }
        let source = PluginOpinions(format, primary: primary, others: others, shadows: shadows, logger: logger)
        sources[format] = source
        if primary != nil { preparers[format] = source }
        let opinions = others.compactMap { other in
            declaration(of: format, by: other).map { SecondOpinion(PluginJudge(other.entry), declared: $0) }
        }
        if let primary {
            if let own { verifiers.remove(at: own) }
            guard let declared = declaration(of: format, by: primary), opinions.count == others.count else { return }
            verifiers.append(
                PluginVerifier(app: app, declared: declared, primary: PluginJudge(primary.entry), others: opinions))
        } else if let own, !others.isEmpty {
            verifiers[own] = ObjectingVerifier(app: app, own: verifiers[own], judges: opinions)
        }
    }

    /// What a plugin declared of a format. If it has not, the format is unavailable.
    private mutating func declaration(of format: EvidenceFormat, by plugin: PluginSupervisor) -> PluginFormat? {
        if let declared = plugin.description?.formats.first(where: { $0.name == format }) { return declared }
        let why =
            plugin.description == nil
            // Callers need not know why: what a plugin wrote before it ended is for operators.
            ? "the plugin does not run at present" : "the plugin does not judge \(format), which its entry lists"
        unavailable[format] = "\(plugin.entry.id): \(why)"
        return nil
    }
}
