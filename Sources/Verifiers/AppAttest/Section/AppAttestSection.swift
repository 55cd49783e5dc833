package import AssayCertificates
package import AssayCore
package import AssaySchemes
package import AssayVendors

/// The section `app_attest` of an app: its App IDs, what it demands of their devices, and how it exchanges receipts.
package struct AppAttestSection: SchemeSection {
    package var identities: [AppAttestIdentity]
    package var policy: AppAttestPolicy
    /// Roots of attestations of the app's own, beside Apple's.
    package var extraRoots: [TrustAnchor]
    /// How receipts are exchanged for newer ones; `nil`: they are not.
    package var exchange: ReceiptExchangeRule?
    /// The service that exchanges receipts.
    package var receiptService: VendorServiceAddresses

    package init(
        identities: [AppAttestIdentity], policy: AppAttestPolicy, extraRoots: [TrustAnchor] = [],
        exchange: ReceiptExchangeRule? = nil, receiptService: VendorServiceAddresses = AppAttestScheme.receipts.addresses
    ) {
        (self.identities, self.policy, self.extraRoots) = (identities, policy, extraRoots)
        (self.exchange, self.receiptService) = (exchange, receiptService)
    }

    /// Apple's roots, the app's own, and those of test authorities.
    package func anchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttest + extraRoots + testRoots }

    /// Apple's roots of receipts, and those of test authorities. The app's own roots are for attestations.
    package func receiptAnchors(with testRoots: [TrustAnchor]) -> [TrustAnchor] { TrustAnchor.appAttestReceipt + testRoots }

    // MARK: Judging

    package func verifiers(_ dependencies: SchemeDependencies) -> [any EvidenceVerifier] {
        let anchors = anchors(with: dependencies.testRoots)
        return [
            AppAttestAttestationVerifier(
                identities: identities, anchors: anchors, receiptAnchors: receiptAnchors(with: dependencies.testRoots),
                policy: policy, links: dependencies.links),
            AppAttestAssertionVerifier(identities: identities, anchors: anchors, policy: policy),
        ]
    }

    package func deviceAppraisers(_ dependencies: SchemeDependencies) -> [any RegisteredDeviceAppraiser] {
        [AppAttestDeviceAppraiser(identities: identities, anchors: anchors(with: dependencies.testRoots), policy: policy)]
    }

    package func describe(in text: inout PolicyText, testRoots: [TrustAnchor]) {
        text.mark("app-attest")
        text.nested("app_attest") { text in
            for identity in identities.sorted(by: { $0.rpIDHash.lexicographicallyPrecedes($1.rpIDHash) }) {
                text.nested("identities", of: identity.shown) { identity.describe(in: &$0) }
            }
            text.add("roots", anchors(with: testRoots))
            policy.describe(in: &text)
            if policy.receipt.mode != .off { text.add("receipt.roots", receiptAnchors(with: testRoots)) }
        }
    }

    package var devicePlatforms: Set<DevicePlatform> { Set(identities.compactMap(\.platform.device)) }

    // MARK: Receipts

    /// One route for each environment that the app allows. The reader allows no team without a key.
    package func receiptRoutes(of app: AppID, _ dependencies: SchemeDependencies) -> [ReceiptExchangeRoute] {
        guard let exchange, let token = dependencies.vendors?.appleTokens[exchange.teamID] else { return [] }
        let reader = AppAttestReceiptReader(
            verifier: ReceiptVerifier(anchors: receiptAnchors(with: dependencies.testRoots), links: dependencies.links))
        return environments.map { environment in
            ReceiptExchangeRoute(
                queue: ReceiptQueue(app: app, environment: environment.rawValue), address: receiptService(in: environment),
                teamID: exchange.teamID, token: token, isBearer: receiptService.chosen["authorization"] == "bearer",
                period: exchange.period, reader: reader)
        }
    }

    package var serviceCalls: [ServiceCall] {
        guard exchange != nil else { return [] }
        let purpose = ServiceCall.Purpose("receipt_exchange", "newer App Attest receipts")
        return environments.map { ServiceCall(receiptService(in: $0).description, for: purpose) }
    }

    /// The environments that the app allows.
    private var environments: [AppAttestEnvironment] {
        AppAttestEnvironment.allCases.filter { environment in
            identities.contains { $0.environments.contains(environment) }
        }
    }

    private func receiptService(in environment: AppAttestEnvironment) -> VendorAddress {
        switch environment {
        case .production: receiptService.production
        case .development: receiptService.development ?? receiptService.production
        }
    }

    // MARK: What people are told

    package var evidenceLifetime: EvidenceLifetime? {
        policy.receipt.acceptableFor.map {
            EvidenceLifetime(
                milliseconds: $0, reason: "an attestation is good for app_attest.receipt.max_age, and 5 m of skew")
        }
    }

    package var summary: [String] {
        identities.map { identity in
            let environments = identity.environments.map(\.rawValue).sorted().joined(separator: ", ")
            return "App Attest of \(identity.shown) (\(environments))"
        }
    }

    package var serviceSummary: [String] {
        exchange.map { ["exchanges receipts every \($0.period / 86_400_000) days as team \($0.teamID)"] } ?? []
    }

    /// Apps that attest are of the categories 2 to 6; 6, Developer ID, is for Macs alone.
    package func findings(beside others: [String: any SchemeSection], at now: Timestamp) -> [SectionFinding] {
        var findings: [SectionFinding] = []
        if let categories = policy.allowedValidationCategories {
            let unknown = categories.filter { !(2...6).contains($0) }.sorted()
            if !unknown.isEmpty {
                findings.append(
                    .unmeetable(
                        "app_attest.validation_categories",
                        "no app that attests has the category \(unknown.map(String.init).joined(separator: ", ")): they are 2 TestFlight, 3 "
                            + "development, 4 App Store, 5 enterprise or ad hoc, 6 Developer ID"))
            } else if categories == [6], !identities.contains(where: { $0.platform == .macOS }) {
                findings.append(
                    .unmeetable(
                        "app_attest.validation_categories",
                        "Developer ID (6) is for Macs, and no identity has \"platform: macos\""))
            } else if categories.isSubset(of: [2, 4]), environments == [.development] {
                findings.append(
                    .unmeetable(
                        "app_attest.validation_categories",
                        "apps from TestFlight (2) and the App Store (4) attest in production, and every identity is of the development "
                            + "environment"))
            }
        }
        if policy.receipt.maxRiskMetric == 0 {
            findings.append(
                .unmeetable(
                    "app_attest.receipt.max_risk_metric",
                    "the metric counts the keys that the device attested lately, of which the one in use is one: want at least 1"
                ))
        }
        return findings
    }
}

/// How an app's receipts are exchanged.
package struct ReceiptExchangeRule: Hashable, Sendable {
    /// The team whose key is shown: one of the section `apple`.
    package var teamID: String
    /// The interval between exchanges of a receipt, in milliseconds.
    package var period: Int64

    package init(teamID: String, period: Int64) { (self.teamID, self.period) = (teamID, period) }
}
