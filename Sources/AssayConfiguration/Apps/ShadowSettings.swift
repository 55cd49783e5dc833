package import AssayCore
package import AssaySchemes

/// What the shadow policy of an app states otherwise than the app: the section `apps.<app>.shadow`. What it leaves out is as in the app.
package struct ShadowSettings: Sendable {
    /// By the keys of their sections.
    package var sections: [(key: String, section: any SchemeSection)] = []
    package var binding: BindingRule?
    package var acceptsSimulated: Bool?
    package var confidence: ConfidenceRule?

    init(
        reading value: ConfigurationReader.Value, _ shared: SharedSettings, _ schemes: [any AttestationScheme.Type]
    ) {
        let section = value.section()
        for scheme in schemes {
            guard let key = scheme.sectionKey, let value = section.optional(key) else { continue }
            if let platform = scheme.read(value, shared) { sections.append((key, platform)) }
        }
        binding = section.optional("binding").map(BindingRule.init(reading:))
        acceptsSimulated = section.optional("accept_simulated")?.boolean()
        confidence = section.optional("confidence").flatMap(ConfidenceRule.init(reading:))
        section.done()
        if value.names?.isEmpty == true { value.report("it states nothing otherwise: leave the section out") }
    }
}

extension AppConfiguration {
    /// The app as its shadow policy has it; `nil` for an app without one.
    package var shadowed: AppConfiguration? {
        guard let shadow else { return nil }
        var other = self
        other.shadow = nil
        (other.recording, other.lookup, other.uploads) = (nil, nil, nil)
        // A shadow answers no request.
        other.enforcement = EnforcementRule()
        for (key, section) in shadow.sections {
            if let index = other.sections.firstIndex(where: { $0.key == key }) {
                other.sections[index].section = section
            } else {
                other.sections.append((key, section))
            }
        }
        other.binding = shadow.binding ?? binding
        other.acceptsSimulated = shadow.acceptsSimulated ?? acceptsSimulated
        other.confidence = shadow.confidence ?? confidence
        return other
    }

    /// Rules between the sections of the shadow policy.
    func checkShadow(_ shadow: ShadowSettings, _ section: ConfigurationReader.Section) {
        guard let value = section.optional("shadow"), let other = shadowed else { return }
        let beside = AppSections(value: value, sections: other.sectionsByKey)
        for (_, platform) in shadow.sections { platform.check(beside: beside) }
        for (key, platform) in shadow.sections where platform.serviceCalls.contains(where: \.isAwaited) {
            // The service is asked for the policy in force alone.
            if self[key] == nil {
                value.at(key)?.report(
                    "the policy in force asks no service about this evidence, so that a shadow cannot judge it")
            }
        }
    }

    /// The sections of the policy in force and of the shadow policy.
    var allSections: [(key: String, section: any SchemeSection)] { sections + (shadow?.sections ?? []) }
}
