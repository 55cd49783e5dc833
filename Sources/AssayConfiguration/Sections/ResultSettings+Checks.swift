import AssayCore
import AssayResults
import AssaySchemes

extension ResultSettings {
    /// Rules between the section `results`, the apps and the addresses.
    ///
    /// - Parameters:
    ///   - value: the section `results`, where there is one.
    ///   - settings: `nil` if there is none, or it cannot be used.
    ///   - appsValue: the section `apps`.
    static func check(
        _ value: ConfigurationReader.Value?, _ settings: ResultSettings?, _ listen: [ListenAddress], _ apps: [AppConfiguration],
        in appsValue: ConfigurationReader.Value?
    ) {
        let signed = apps.filter { $0.results != nil }
        guard let value else {
            for app in signed {
                appsValue?.at(app.id.text, "results")?.report(
                    "results want someone who signs: the section \"results\" of the file")
            }
            return
        }
        if signed.isEmpty { value.warn(.resultsUnused, "no app has a section \"results\": nothing is signed") }
        if listen.speaking(.http).isEmpty {
            value.warn(
                .resultsUnserved,
                "no address of \"listen\" has \"protocol: http\": who checks results finds the keys at the issuer's address only if something else serves them there"
            )
        }
        guard let settings else { return }
        settings.checkCertifiedLifetimes(signed, value)
        warnOfSingleKeys(settings, value)
        for app in signed { settings.warn(of: app, appsValue?.at(app.id.text, "results")) }
    }

    /// Reports keys in memory that would end before results that they sign.
    private func checkCertifiedLifetimes(_ signed: [AppConfiguration], _ value: ConfigurationReader.Value) {
        let shortest = ResultKeyCertification.shortestLifetime(for: signed.compactMap { $0.results?.longestLife }.max() ?? 0)
        for issuer in issuers {
            let list = (issuer.kind == .devices ? value.at("keys") : value.at("simulated", "keys"))?.list() ?? []
            for (key, place) in zip(issuer.settings.keys, list) {
                guard let lifetime = key.certifiedLifetime, lifetime < shortest else { continue }
                (place.at("certifies", "lifetime") ?? place.at("certifies") ?? place).report(
                    "want at least \(DurationText.exact(shortest)): twice the longest life of a result of an app and 5 minutes, since a key in memory is exchanged at half of its life"
                )
            }
        }
    }

    private static func warnOfSingleKeys(_ settings: ResultSettings, _ value: ConfigurationReader.Value) {
        for issuer in settings.issuers where issuer.settings.keys.count == 1 {
            let place = issuer.kind == .devices ? value.at("keys") : value.at("simulated", "keys")
            place?.warn(
                .resultKeyAlone,
                "there is one key: if no other is added \(DurationText.exact(settings.rule.publishAhead)) before its lifetime ends, nothing is signed after it"
            )
        }
    }

    private func warn(of app: AppConfiguration, _ value: ConfigurationReader.Value?) {
        if app.acceptsSimulated, simulated == nil {
            value?.warn(
                .resultsSimulatedMissing,
                "the app accepts simulated devices, which get no results: they want an issuer and keys of their own (\"results.simulated\")"
            )
        }
        let ofWallets = app.results?.shapes.intersection([.walletInstance, .keyAttestation]) ?? []
        if !ofWallets.isEmpty, devices.keys.contains(where: { $0.certificateFile == nil }) {
            value?.warn(
                .resultCertificateMissing,
                "wallets' attestations show the certificate of their key, and a key of \"results.keys\" has none (\"certificate\")"
            )
        }
    }
}

extension ResultRule {
    /// In milliseconds.
    fileprivate var longestLife: Int64 {
        max(shapes == [.session] ? 0 : lifetime, shapes.contains(.session) ? session.lifetime : 0)
    }
}
