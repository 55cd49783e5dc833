package import AssayCertificates
package import AssayCore
import Crypto

extension AndroidKeyAttestationSection {
    package func describe(in policy: inout PolicyText, testRoots: [TrustAnchor]) {
        policy.mark("android")
        policy.nested("android") { describe(in: &$0, anchors: anchors(with: testRoots)) }
    }

    private func describe(in text: inout PolicyText, anchors: [TrustAnchor]) {
        text.add("roots", anchors)
        for app in (policy.apps ?? []).sorted(by: { ($0.packageName ?? "") < ($1.packageName ?? "") }) {
            text.nested("packages", of: app.packageName ?? "") { text in
                text.add("name", app.packageName ?? "")
                text.add("signers", list: (app.signers ?? []).map { Hex.encode($0) }.sorted())
                text.add("min_version", optional: app.minimumVersion)
            }
        }
        text.add("security_level", hashed: UInt64(policy.minimumLevel.rawValue), shown: policy.minimumLevel.name)
        if let boot = policy.boot {
            text.nested("verified_boot") { text in
                text.add("states", list: boot.states.map(\.name).sorted())
                text.add("locked", flag: boot.requiresLocked)
                text.add("self_signed_keys", list: boot.selfSignedKeys.map { Hex.encode($0) }.sorted())
                text.add("denied_keys", list: boot.deniedKeys.map { Hex.encode($0) }.sorted())
                text.add("allow_test_keys", list: boot.allowedTestKeys.map(\.rawValue).sorted())
            }
        }
        text.add("min_os_version", optional: policy.minimumOSVersion)
        text.nested("patch_levels") { text in
            let levels = policy.patchLevels
            for (key, oldest) in [("os", levels.os), ("vendor", levels.vendor), ("boot", levels.boot)] {
                text.add(key, optional: oldest?.text)
            }
            text.add("refuse_unreadable", flag: levels.refusesUnreadable)
            text.add("months_ahead", optional: levels.monthsAhead)
        }
        policy.key.describe(in: &text)
        policy.provisioning.describe(in: &text)
        for (tag, expected) in policy.attestedIDs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            text.mark(tag.name)
            let ids = expected.sorted().map(\.text)
            text.mark(ids.joined(separator: "\u{0}"))
            // Serial numbers and the like name devices, which a reader of policies has no need of.
            text.show(
                "attested_ids.\(tag.name)",
                tag.namesOneDevice ? ids.map { "SHA-256 \(Hex.encode(SHA256.bytes(of: Array($0.utf8))))" } : ids)
        }
        text.add("creation_window", optional: policy.creationWindow)
        text.add("require_tag_order", flag: policy.requiresTagOrder)
        if policy.requiresEqualVersions {
            text.add("require_equal_versions", flag: true)
        } else {
            // As in policies from before the key.
            text.show("require_equal_versions", "false")
        }
        text.add("allow_suspended", flag: policy.allowsSuspended)
        text.add("denied.serials", list: policy.denied.serials.map { Hex.encode($0) }.sorted())
        text.add("denied.public_keys", list: policy.denied.publicKeys.map { Hex.encode($0) }.sorted())
        // Left out where it is not set, as in policies from before the key.
        if let offline = policy.offline {
            text.nested("offline") { text in
                text.add("max_age", milliseconds: offline.maxAge)
                text.add("max_future", milliseconds: offline.maxFuture)
            }
        }
        text.add("revocation", revocation.name)
        text.add("require_play_integrity", flag: requiresPlayIntegrity)
    }
}

extension PatchLevelRules.Oldest {
    fileprivate var text: String {
        switch self {
        case .level(let level): "\(level.year)-\(level.month)"
        case .months(let months): "\(months) months"
        }
    }
}

extension AuthorizationTag {
    /// Whether its value tells one device from all others.
    fileprivate var namesOneDevice: Bool { ![.brand, .device, .product, .manufacturer, .model].contains(self) }
}

extension KeyRule {
    fileprivate func describe(in policy: inout PolicyText) {
        policy.nested("key") { policy in
            policy.add("origins", list: origins.map(\.name).sorted())
            policy.add("purposes", list: requiredPurposes.map(\.name).sorted())
            policy.add("forbidden_purposes", list: forbiddenPurposes.map(\.name).sorted())
            policy.add("kinds", list: kinds.map { $0.map(\.rawValue).sorted() }, absent: "any")
            policy.add("properties", list: properties.map(\.rawValue).sorted())
            policy.add(
                "user_authentication.methods", list: authentication.map { $0.methods.map(\.rawValue).sorted() }, absent: "none")
            policy.add("user_authentication.max_timeout", optional: authentication?.longest)
        }
    }
}

extension RemoteKeyProvisioningRule {
    fileprivate func describe(in policy: inout PolicyText) {
        policy.nested("remote_key_provisioning") { policy in
            policy.add("require_remote", flag: requiresRemote)
            policy.add("max_certificates", optional: certificateLimit)
            policy.add("remote_key_per_day", UInt64(bitPattern: Int64(remoteKeyPerDay)))
            policy.add("factory_key_per_day", UInt64(bitPattern: Int64(factoryKeyPerDay)))
            policy.add("overuse", hashed: refusesOveruse ? 1 : 0, shown: refusesOveruse ? "reject" : "report")
        }
    }
}
