package import AssayCore
import AssayPlugins
import AssayProvisioning
import AssaySchemes

/// What certificates the devices of an app get: its section `provisioning`.
package struct AppProvisioning: Hashable, Sendable {
    package var issuing: IssuingRule
    /// `nil`: the app has no fleet.
    package var fleet: FleetRule?
}

extension AppProvisioning {
    /// - Parameters:
    ///   - lists: the section `provisioning.revocation_lists`, whose URL stands in certificates.
    ///   - plugins: the entries of the catalog that serve the app.
    init(
        reading value: ConfigurationReader.Value, _ lists: ProvisioningSettings.RevocationLists?, _ plugins: [PluginEntry]
    ) {
        let section = value.section()
        var profile = CertificateProfile()
        profile.revocationListURL = lists?.url
        profile.read(section, of: [.app, .device, .ca])
        var rule = IssuingRule(profile: profile)
        if let least = section.optional("min_assurance")?.assurance() { rule.leastAssurance = least }
        if let value = section.optional("vouched") {
            let words = ["refuse"] + Assurance.certifiable.map(\.name)
            if let word = value.choice(among: words) { rule.vouchedCeiling = Assurance.certifiable.first { $0.name == word } }
        }
        if let ceiling = rule.vouchedCeiling, ceiling < rule.leastAssurance {
            section.optional("vouched")?.report(
                "with \"min_assurance: \(rule.leastAssurance.name)\" no vouched key is certified; want \"vouched: refuse\"")
        }
        for value in section.optional("plugins")?.list() ?? [] {
            guard let id = value.text() else { continue }
            guard let entry = plugins.first(where: { $0.id == id }), entry.decides else {
                let known = plugins.filter(\.decides).map(\.id)
                let meant = Spelling.nearest(to: id, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
                value.report("no plugin with the id \"\(id.prefix(64))\" decides about evidence of this app" + meant)
                continue
            }
            rule.plugins.insert(id)
        }
        issuing = rule
        fleet = section.optional("fleet").flatMap { FleetRule(reading: $0, profile) }
        section.done()
    }

    /// What the app's devices get, a sentence each.
    ///
    /// - Parameter isOnEvidence: whether the app has a platform whose evidence certificates are issued on; without one they are renewed only.
    func summary(isOnEvidence: Bool) -> [String] {
        let vouched = issuing.vouchedCeiling.map { "at most \($0.name)" } ?? "refused"
        var lines = [
            (isOnEvidence ? "issues and renews" : "renews")
                + " certificates: \(DurationText.exact(issuing.profile.validity)), assurance at least "
                + "\(issuing.leastAssurance.name); keys that the platform does not attest: \(vouched)"
        ]
        if let fleet {
            lines.append(
                "provisions a fleet of \(fleet.manufacturer): \(DurationText.exact(fleet.profile.validity)), "
                    + "assurance \(fleet.assurance.name)" + (fleet.makesKeys ? ", keys made here on request" : ""))
        }
        return lines
    }

    /// Adds everything that bears on a verdict to the policy.
    func describe(in policy: inout PolicyText) {
        policy.add(issuing)
        if let fleet { policy.add(fleet) }
    }
}

extension FleetRule {
    /// - Parameter profile: that of the app's other certificates, from which the fleet takes what its section leaves out.
    fileprivate init?(reading value: ConfigurationReader.Value, _ profile: CertificateProfile) {
        let section = value.section()
        let manufacturer = section.required("manufacturer")?.shortText()
        let endpoint = section.optional("validation_endpoint")?.shortText()
        var profile = profile.ofFleet
        profile.read(section, of: [.app, .device, .ca, .serial, .family])
        self.init(profile: profile, manufacturer: manufacturer ?? "", validationEndpoint: endpoint ?? "")
        if let arc = section.optional("fleet_arc")?.arc() { self.arc = arc }
        if let assurance = section.optional("assurance")?.assurance() { self.assurance = assurance }
        if let makesKeys = section.optional("generate_keys")?.boolean() { self.makesKeys = makesKeys }
        if makesKeys {
            section.optional("generate_keys")?.warn(
                .generatedKeys, "private keys are made here and sent to the provisioning service, which can use them")
        }
        if self.arc.overlaps(self.profile.extensionArc) {
            (section.optional("fleet_arc") ?? section.optional("extension_arc") ?? value).report(
                "\"fleet_arc\" and \"extension_arc\" must be two arcs, neither below the other")
        }
        section.done()
        guard manufacturer != nil else { return nil }
    }
}

extension CertificateProfile {
    private static let longestValidity: Int64 = 36_600 * 86_400_000

    /// Reads the keys of a profile that are set.
    ///
    /// - Parameter places: the values that its devices have.
    fileprivate mutating func read(_ section: ConfigurationReader.Section, of places: [NameTemplate.Place]) {
        if let time = section.optional("validity")?.milliseconds(in: 60_000...Self.longestValidity) { validity = time }
        if let value = section.optional("subject") {
            let subject = value.section()
            if let text = subject.optional("common_name")?.template(of: places) { commonName = text }
            if let text = subject.optional("organization")?.template(of: places) { organization = text }
            if let text = subject.optional("organizational_unit")?.template(of: places) { organizationalUnit = text }
            if let text = subject.optional("serial_number")?.template(of: places) { serialNumber = text }
            subject.done()
        }
        if let names = section.optional("alternative_names")?.list() {
            alternativeNames = names.compactMap { $0.template(of: places, isURI: true) }
        }
        if let arc = section.optional("extension_arc")?.arc() { extensionArc = arc }
        let authenticates = section.optional("client_auth"), usage = section.optional("extended_key_usage")
        if let usage, authenticates != nil {
            usage.report("\"extended_key_usage\" says it all: leave \"client_auth\" out, and name clientAuth here or not")
        }
        if let allows = authenticates?.boolean() {
            keyPurposes = allows ? [.clientAuthentication] : []
        }
        if let purposes = usage?.keyPurposes() { keyPurposes = purposes }
    }
}

extension NameTemplate {
    /// Why no subject can have it, whatever the values are; `nil` if one can.
    fileprivate var subjectProblem: String? {
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "want no control characters: no certificate could be issued"
        }
        // Each value at its shortest.
        var names = DeviceNames.shortest
        names.device = "\(DeviceID.random())"
        guard let shortest = try? filled(names), shortest.unicodeScalars.count > SubjectName.lengthLimit else { return nil }
        return
            "with the values of a device it has more than \(SubjectName.lengthLimit) characters: no certificate could be issued"
    }
}

extension Assurance {
    /// The levels that a certificate can have.
    fileprivate static let certifiable = allCases.filter { $0 > .none }
}

extension ConfigurationReader.Value {
    fileprivate func assurance() -> Assurance? {
        let word = choice(among: Assurance.certifiable.map(\.name))
        return Assurance.certifiable.first { $0.name == word }
    }

    /// 1 to 255 bytes.
    fileprivate func shortText() -> String? {
        guard let text = filledText() else { return nil }
        guard text.utf8.count <= 255 else {
            report("want at most 255 bytes")
            return nil
        }
        return text
    }

    /// A text that may name some values in braces.
    ///
    /// - Parameter isURI: whether it must become a URI.
    func template(of places: [NameTemplate.Place], isURI: Bool = false) -> NameTemplate? {
        if let text = text(isVerbatim: true), text.contains("${") {
            report("values of a device stand in braces alone: leave out the \"$\" of \"\(text.prefix(80))\"")
            return nil
        }
        guard let text = shortText() else { return nil }
        let template: NameTemplate
        do throws(NameTemplateError) {
            template = try NameTemplate(text)
        } catch {
            report("\(error); want \(places.map { "{\($0.rawValue)}" }.joined(separator: ", ")) here")
            return nil
        }
        if let other = template.places.first(where: { !places.contains($0) }) {
            let isOfFleet = other == .serial || other == .family
            report(
                isOfFleet && places.contains(.device)
                    ? "only devices of a fleet have {\(other.rawValue)}: want it in \"fleet\""
                    : "want only \(places.map { "{\($0.rawValue)}" }.joined(separator: ", ")) in braces")
            return nil
        }
        if isURI, let problem = template.uriProblem {
            report("\"\(text.prefix(80))\" is \(problem)")
            return nil
        }
        if !isURI, let problem = template.subjectProblem {
            report(problem)
            return nil
        }
        return template
    }

    private static let purposeLimit = 16

    /// A list of purposes, each once; an empty one leaves the extension out.
    fileprivate func keyPurposes() -> [KeyPurpose]? {
        guard let list = list() else { return nil }
        guard list.count <= Self.purposeLimit else {
            report("want at most \(Self.purposeLimit) purposes")
            return nil
        }
        var purposes: [KeyPurpose] = []
        for value in list {
            guard let text = value.text() else { continue }
            do throws(KeyPurposeError) {
                let purpose = try KeyPurpose(text)
                if purposes.contains(purpose) { value.report("\(purpose) stands twice") } else { purposes.append(purpose) }
            } catch {
                switch error {
                case .unknown:
                    let meant = Spelling.nearest(to: text, among: KeyPurpose.knownNames)
                    value.report(
                        "want \(KeyPurpose.knownNames.joined(separator: ", ")) or an object identifier in dotted form, have "
                            + "\"\(text.prefix(60))\"" + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
                case .refused(let name):
                    value.report("no device's certificate has \(name): a device could stand for more than itself")
                }
            }
        }
        return purposes
    }

    /// An object identifier in dotted form.
    fileprivate func arc() -> ExtensionArc? {
        guard let text = text() else { return nil }
        guard let arc = ExtensionArc(text) else {
            report(
                "want an object identifier such as 1.3.6.1.4.1.32473.2 (2.25 and the number of a UUID is one too), have \"\(text.prefix(60))\""
            )
            return nil
        }
        return arc
    }
}
