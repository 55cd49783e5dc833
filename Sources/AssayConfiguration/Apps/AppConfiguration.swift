package import AssayCertificates
package import AssayCore
package import AssayPlugins
package import AssaySchemes

/// One app of the configuration: its sections, one for each platform whose evidence it accepts, and the rules of all of them.
package struct AppConfiguration: Sendable {
    package var id: AppID
    package var challenges: ChallengeRule
    package var binding: BindingRule
    /// How many devices a subject may have; `nil`: any number.
    package var devicesPerSubject: UInt32?
    /// Which device a registration may retire.
    package var replacement = ReplacementRule.ofSubject
    /// In the order of the schemes, by the keys of their sections.
    package var sections: [(key: String, section: any SchemeSection)]
    /// Whether the claims of accepted verdicts are kept beside the audit log.
    package var keepsAuditClaims: Bool
    /// Whether evidence that rests on a test root may be accepted.
    package var acceptsSimulated: Bool
    /// How confidence in captures is made; `nil`: it is not.
    package var confidence: ConfidenceRule?
    /// What certificates its devices get; `nil`: none.
    package var provisioning: AppProvisioning?
    /// The entries of the catalog that serve it, in the order of their ids.
    package var plugins: [PluginEntry] = []
    /// The rates that it sets in place of the defaults. They bear on no verdict.
    package var rates = AppRateSettings()
    /// Which signed results its callers may ask for; `nil`: none. It bears on no verdict: results are signed after one, so that a verdict's policy
    /// digest is the same for all audiences.
    package var results: ResultRule?
    /// Which verdicts are recorded with what they went by; `nil`: none are.
    package var recording: RecordingRule?
    /// How long its accepted verdicts can be found by the hash of what the device signed; `nil`: they cannot.
    package var lookup: LookupRule?
    /// How payloads are uploaded in chunks; `nil`: they are not. It bears on no verdict.
    package var uploads: UploadRule?
    /// What follows from flags of its devices.
    package var deviceFlags = DeviceFlagRule()
    /// Which rejections are enforced. It bears on no verdict.
    package var enforcement = EnforcementRule()
    /// What its shadow policy states otherwise; `nil`: it has none.
    package var shadow: ShadowSettings?

    /// The app's section of one platform.
    package subscript(key: String) -> (any SchemeSection)? { sections.first { $0.key == key }?.section }

    package var sectionsByKey: [String: any SchemeSection] {
        Dictionary(sections.map { ($0.key, $0.section) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether services outside are asked about evidence while the caller waits.
    package var asksWhileCallerWaits: Bool {
        sections.contains { $0.section.serviceCalls.contains(where: \.isAwaited) }
    }

    private var trustsDeviceAuthorities: Bool { provisioning != nil || sections.contains { !$0.section.fleetArcs.isEmpty } }

    /// Everything that bears on a verdict, as a text and a digest. Two configurations that judge alike have the same digest, however they are
    /// written.
    ///
    /// - Parameter deviceAuthorities: Assay's own CAs. They count where the app certifies devices or accepts their certificates: in any
    ///   order.
    package func policy(testRoots: [TrustAnchor], deviceAuthorities: [TrustAnchor] = []) -> AppPolicy {
        var policy = PolicyText("assay.policy.v1")
        policy.add("app", id.text)
        policy.add(
            "binding.payload", hashed: binding.payloadRequired ? 1 : 0, shown: binding.payloadRequired ? "required" : "optional"
        )
        policy.add(
            "binding.embedded", hashed: binding.embedded.map { "\($0.place) \($0.encoding)" } ?? "",
            shown: binding.embedded?.shown ?? "none")
        policy.add(
            "binding.caller_owned.spend_evidence_for", optional: binding.callerOwned.map { "\($0.spendEvidenceFor ?? 0)" },
            absent: "none")
        policy.add("max_devices_per_subject", optional: devicesPerSubject)
        policy.add("accept_simulated", flag: acceptsSimulated)
        for (_, section) in sections { section.describe(in: &policy, testRoots: testRoots) }
        replacement.describe(in: &policy)
        deviceFlags.describe(in: &policy)
        confidence?.describe(in: &policy)
        provisioning?.describe(in: &policy)
        if trustsDeviceAuthorities, !deviceAuthorities.isEmpty {
            policy.mark("device-authorities")
            policy.add("provisioning.authorities", deviceAuthorities)
        }
        let deciding = plugins.filter(\.decides).sorted { $0.id < $1.id }
        if !deciding.isEmpty {
            policy.mark("plugins")
            policy.mark(UInt64(deciding.count))
            for entry in deciding { policy.nested("plugins", of: entry.id) { entry.describe(in: &$0) } }
        }
        return AppPolicy(id, policy)
    }

    /// The digest of ``policy(testRoots:deviceAuthorities:)``.
    package func policyDigest(testRoots: [TrustAnchor], deviceAuthorities: [TrustAnchor] = []) -> [UInt8] {
        policy(testRoots: testRoots, deviceAuthorities: deviceAuthorities).digest
    }
}

extension EmbeddedChallenge {
    fileprivate var shown: String {
        switch place {
        case .jsonMember(let path): "\(encoding.rawValue) at the JSON member \(path.joined(separator: "."))"
        case .offset(let offset): "\(encoding.rawValue) at offset \(offset)"
        }
    }
}

extension AppConfiguration {
    /// They are counted at each registration.
    private static let mostDevicesPerSubject = 10_000

    init(
        id: AppID, reading value: ConfigurationReader.Value, _ shared: SharedSettings, _ schemes: [any AttestationScheme.Type],
        _ authorities: ProvisioningSettings?, _ catalog: [PluginEntry]
    ) {
        let section = value.section()
        let plugins = catalog.filter { $0.apps.contains(id) }
        let challenge = section.optional("challenge")?.section()
        let timeToLive = challenge?.optional("ttl")?.milliseconds(in: 1000...ChallengeRule.longest)
        challenge?.done()
        let limit = section.optional("max_devices_per_subject")?.integer(in: 1...Self.mostDevicesPerSubject)
        let binding = section.optional("binding").map(BindingRule.init(reading:)) ?? BindingRule()
        var read: [(key: String, section: any SchemeSection)] = []
        for scheme in schemes {
            guard let key = scheme.sectionKey, let value = section.optional(key) else { continue }
            if let platform = scheme.read(value, shared) { read.append((key, platform)) }
        }
        self.init(
            id: id,
            challenges: ChallengeRule(timeToLive: timeToLive ?? ChallengeRule.usual),
            binding: binding, devicesPerSubject: limit.flatMap { UInt32(exactly: $0) },
            replacement: section.optional("replaces")?.choice([
                "subject": .ofSubject, "any": .any, "none": ReplacementRule.none,
            ])
                ?? .ofSubject, sections: read,
            keepsAuditClaims: section.optional("audit_claims")?.boolean() ?? false,
            acceptsSimulated: section.optional("accept_simulated")?.boolean() ?? false,
            confidence: section.optional("confidence").flatMap(ConfidenceRule.init(reading:)),
            provisioning: section.optional("provisioning").map { value in
                if authorities == nil { value.report("certificates need a CA: want the section \"provisioning\" of the file") }
                return AppProvisioning(reading: value, authorities?.lists, plugins)
            }, plugins: plugins,
            rates: section.optional("rates").map { AppRateSettings(reading: $0) } ?? AppRateSettings(),
            results: section.optional("results").flatMap(ResultRule.init(reading:)),
            recording: section.optional("record").map(RecordingRule.init(reading:)),
            lookup: section.optional("lookup").map(LookupRule.init(reading:)),
            uploads: section.optional("uploads").map(UploadRule.init(reading:)),
            deviceFlags: section.optional("device").map(DeviceFlagRule.init(readingDevice:)) ?? DeviceFlagRule(),
            enforcement: section.optional("enforce").map(EnforcementRule.init(reading:)) ?? EnforcementRule(),
            shadow: section.optional("shadow").map { ShadowSettings(reading: $0, shared, schemes) })
        section.done()
        if let summary = enforcement.summary { section.optional("enforce")?.warn(.verdictsNotEnforced, "the app \(summary)") }
        check(section, schemes)
        if let shadow { checkShadow(shadow, section) }
        // An entry with a problem of its own may judge the format.
        guard !value.reader.problems.contains(where: { $0.file != nil || $0.path.hasPrefix("plugins") }) else { return }
        confidence?.checkMeasured(in: section.optional("confidence"), of: id, by: plugins, in: catalog)
        shadow?.confidence?.checkMeasured(in: section.optional("shadow")?.at("confidence"), of: id, by: plugins, in: catalog)
    }

    /// Rules between the sections.
    private func check(_ section: ConfigurationReader.Section, _ schemes: [any AttestationScheme.Type]) {
        let keys = schemes.compactMap { $0.sectionKey }
        let hasPrimary = plugins.contains { entry in entry.formats.contains(where: entry.isPrimary) }
        if keys.allSatisfy({ section.optional($0) == nil }), !hasPrimary {
            section.value.report(
                "the app accepts no evidence: want one of \(keys.joined(separator: ", ")), or a plugin with \"role: primary\"")
        }
        let beside = AppSections(value: section.value, sections: sectionsByKey)
        for (_, platform) in sections { platform.check(beside: beside) }
        checkMemory(section.optional("binding")?.at("caller_owned", "spend_evidence_for"))
        checkArcs(section)
        let registering = schemes.filter { $0.registersDevices }.compactMap { $0.sectionKey }
        // A plugin says only once it runs whether it registers devices.
        if registering.allSatisfy({ section.optional($0) == nil }), !hasPrimary {
            section.optional("max_devices_per_subject")?.report(
                "the app registers no devices: it has neither \(registering.joined(separator: " nor "))")
        }
    }

    /// Warns of sections that do not find the extensions in the certificates of the app's own fleet.
    private func checkArcs(_ section: ConfigurationReader.Section) {
        guard let own = provisioning?.fleet?.arc.description else { return }
        for (key, platform) in sections {
            let arcs = platform.fleetArcs
            guard !arcs.isEmpty, !arcs.contains(own), let value = section.optional(key) else { continue }
            (value.at("extension_arc") ?? value).warn(
                .fleetArcDiffers,
                "the app's fleet has its extensions under \(own), and they are looked for under \(arcs.joined(separator: ", or ")): the secret in its "
                    + "certificates is not found")
        }
    }

    /// Reports a `spend_evidence_for` that forgets a use while the same evidence can still be accepted.
    ///
    /// - Parameter value: where it stands in the file.
    private func checkMemory(_ value: ConfigurationReader.Value?) {
        let lifetimes = sections.compactMap(\.section.evidenceLifetime)
        guard let value, let memory = binding.callerOwned?.spendEvidenceFor,
            let longest = lifetimes.max(by: { $0.milliseconds < $1.milliseconds }), memory < longest.milliseconds
        else { return }
        value.report("want at least \(DurationText.exact(longest.milliseconds)): \(longest.reason)")
    }
}
