import AssayCore
import AssaySchemes
import AssayVendors

extension AppAttestSection {
    init?(reading value: ConfigurationReader.Value, _ shared: SharedSettings) {
        let section = value.section()
        let listed = section.required("identities")
        let identities = Self.identities(listed)
        let categories = section.optional("validation_categories")?.filledList()?.compactMap {
            $0.integer(in: 0...Int(UInt32.max))
        }
        let versions = section.optional("bundle_versions")?.filledList()?.compactMap { $0.filledText() }
        let receipt = section.optional("receipt")?.section()
        let counter = section.optional("counter")
        if counter?.isWord("strict") == true {
            counter?.warn(
                .counterStrict,
                "strict refuses an upload that arrives after a later one of the same phone (counter_not_increasing), as uploads in "
                    + "parallel do; window accepts them in any order, each counter once")
        }
        let exchange = receipt?.optional("exchange").flatMap { ReceiptExchangeRule(reading: $0, shared.appleTeams) }
        let policy = AppAttestPolicy(
            allowedValidationCategories: categories.map { Set($0.compactMap(UInt32.init(exactly:))) },
            allowedBundleVersions: versions.map { Set($0.map { OpaqueText($0) }) },
            requireExtensions: section.optional("require_extensions")?.boolean() ?? false,
            counterRule: counter?.choice([
                "strict": CounterRule.strictlyIncreasing, "window": .window64,
            ]) ?? .window64,
            receipt: receipt.map(ReceiptRule.init(reading:)) ?? ReceiptRule(),
            acceptImported: section.optional("accept_imported")?.boolean() ?? false)
        if policy.acceptImported, policy.receipt.rejectsHighRisk {
            section.optional("accept_imported")?.report(
                "imported devices have no receipt, and so no risk metric: \"receipt.high_risk: reject\" refuses all of them")
        }
        let extraRoots = section.optional("extra_roots")?.list()?.compactMap { shared.files.anchor($0, simulated: false) } ?? []
        receipt?.done()
        section.done()
        guard !identities.isEmpty else {
            // One that cannot be read is reported by itself.
            if listed?.isEmptyList == true { value.report("want at least one identity: an app is known by its App IDs") }
            return nil
        }
        self.init(
            identities: identities, policy: policy, extraRoots: extraRoots, exchange: exchange,
            receiptService: shared[AppAttestScheme.receipts])
    }

    /// Each App ID once. Nothing in the evidence tells its platforms apart with certainty, so that under an ID of both the
    /// rules of macOS would hold for iPhones too, and lock them out.
    private static func identities(_ value: ConfigurationReader.Value?) -> [AppAttestIdentity] {
        var identities: [AppAttestIdentity] = []
        for item in value?.list() ?? [] {
            guard let identity = AppAttestIdentity(reading: item) else { continue }
            if let other = identities.first(where: { $0.rpIDHash == identity.rpIDHash }) {
                item.report(
                    other.platform == identity.platform
                        ? "the App ID stands here twice; list its environments together"
                        : "one App ID for ios and macos would hold iPhones to the rules of macOS, which they cannot keep; "
                            + "give each platform an app of its own")
                continue
            }
            identities.append(identity)
        }
        return identities
    }
}

extension AppAttestIdentity {
    fileprivate init?(reading value: ConfigurationReader.Value) {
        let section = value.section()
        let appID = section.required("app_id")
        let platform = section.optional("platform")?.choice(["ios": Platform.iOS, "macos": .macOS]) ?? .iOS
        let listed = section.optional("environments")?.list()
        let environments = listed?.compactMap {
            $0.choice(["production": AppAttestEnvironment.production, "development": .development])
        }
        section.done()
        guard let text = appID?.text() else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= 255 else {
            appID?.report("want PREFIX.bundle.identifier such as ABCDE12345.com.example.app, have \"\(text.prefix(60))\"")
            return nil
        }
        // A list of unknown words is reported by word.
        if listed?.isEmpty == true { value.report("want at least one environment") }
        appID?.checkAppID(parts[0], parts[1])
        self.init(appID: text, platform: platform, environments: environments.map(Set.init) ?? [.production])
    }
}

extension ConfigurationReader.Value {
    /// Apple's App ID prefixes are ten capital letters and digits, and bundle identifiers are of letters, digits, hyphens and
    /// dots. What looks otherwise is probably a placeholder, or the bundle identifier alone, and no phone has it.
    fileprivate func checkAppID(_ prefix: Substring, _ bundle: Substring) {
        let isPrefix =
            prefix.utf8.count == 10
            && prefix.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
        if !isPrefix {
            warn(
                .appIDPrefix,
                "\"\(prefix.prefix(60))\" is no App ID prefix: Apple's have ten capital letters and digits, and stand in the developer "
                    + "portal. No phone will have this App ID; want one such as ABCDE12345.\(prefix.contains("(") ? "com.example.app" : prefix.prefix(60) + "." + bundle.prefix(60))"
            )
        } else if bundle.hasPrefix(prefix + ".") {
            warn(.appIDPrefix, "the App ID prefix stands here twice. No phone will have this App ID; want \(bundle.prefix(80))")
        }
        let isBundle = bundle.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        if !isBundle
            || bundle.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).contains(where: \.isEmpty)
        {
            warn(
                .appIDPrefix,
                "\"\(bundle.prefix(60))\" is no bundle identifier: they have letters, digits, hyphens and dots, and no wildcard"
            )
        }
    }
}

extension ReceiptRule {
    /// The oldest receipt that an app may take: Apple keeps what it exchanges them for no longer.
    private static let oldest: Int64 = 30 * 86_400_000

    /// What the section `receipt` says of it, beside the exchange.
    ///
    /// A limit of the risk metric needs both a receipt that is required and its exchange: a device that registers with a receipt that
    /// cannot be exchanged would never have a metric, and so never be above the limit.
    init(reading section: ConfigurationReader.Section) {
        let mode = section.optional("mode")?.choice(["off": Mode.off, "report": .report, "require": .require])
        let age = section.optional("max_age")?.milliseconds(in: 1000...Self.oldest)
        let risk = section.optional("max_risk_metric")
        let rejects = section.optional("high_risk")?.choice(["report": false, "reject": true])
        if mode == .off {
            section.optional("max_age")?.report(
                "the receipt's age is not checked (mode: off); leave it out, or set another mode")
        }
        if risk == nil { section.optional("high_risk")?.report("it says nothing without \"max_risk_metric\"") }
        let (isRequired, isExchanged) = (mode == .require, section.optional("exchange") != nil)
        if !isRequired || !isExchanged {
            let wanted = [isRequired ? nil : "\"mode: require\"", isExchanged ? nil : "\"exchange\""]
            risk?.report(
                "it needs \(wanted.compactMap { $0 }.joined(separator: " and ")): a device whose receipt is not verified and exchanged "
                    + "has no risk metric, and would never be above the limit")
        }
        self.init(
            mode: mode ?? .report, maxAgeMilliseconds: age ?? Self.usualAge,
            maxRiskMetric: risk?.integer(in: 0...999_999_999).map(Int64.init), rejectsHighRisk: rejects ?? false)
    }
}

extension ReceiptExchangeRule {
    /// In milliseconds.
    private static let periods: ClosedRange<Int64> = 86_400_000...ReceiptExchangeRoute.longestPeriod

    init?(reading value: ConfigurationReader.Value, _ teams: AppleTeams) {
        let section = value.section()
        let teamID = teams.teamID(named: section.optional("team"), for: value)
        let period = section.optional("every")?.milliseconds(in: Self.periods)
        section.done()
        guard let teamID else { return nil }
        self.init(teamID: teamID, period: period ?? ReceiptExchangeRoute.usualPeriod)
    }
}
