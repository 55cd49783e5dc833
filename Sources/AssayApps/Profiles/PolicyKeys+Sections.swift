import AssayConfiguration
import AssayCore
import AssaySchemes
import AssayService

extension PolicyKeys {
    /// The tables of an app's sections, with the whole path to each key, and that of the checks of every app.
    ///
    /// - Parameter formats: of the evidence of a section.
    init(
        of app: AppConfiguration, _ schemes: [any AttestationScheme.Type],
        formats: (any SchemeSection) -> Set<EvidenceFormat>
    ) {
        let sections = app.sections.map { key, section in
            let keys = schemes.first { $0.sectionKey == key }?.policyKeys ?? [:]
            return Section(formats: formats(section), keys: keys.mapValues { "apps.\(app.id).\(key).\($0)" })
        }
        self.init(sections: sections, common: Self.ofEveryApp.mapValues { "apps.\(app.id).\($0)" })
    }

    /// The keys below `apps.<app>` that decide checks of the pipeline, by the code of a failure.
    package static let ofEveryApp = [
        "challenge_expired": "challenge.ttl", "payload_required": "binding.payload", "binding_not_allowed": "binding",
        "client_data_mismatch": "binding.embedded", "simulated_not_accepted": "accept_simulated",
        "too_many_devices": "max_devices_per_subject", "replacement_refused": "replaces",
        "device_flagged": "device.flags.reject",
        "confidence_too_low": "confidence.require", "metadata_flags_violated": "confidence.flags_violated",
    ]
}
