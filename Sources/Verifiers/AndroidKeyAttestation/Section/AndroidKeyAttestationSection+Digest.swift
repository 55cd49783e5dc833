package import AssayCertificates
package import AssayCore

extension AndroidKeyAttestationSection {
    package func digest(into hash: inout FieldDigest, testRoots: [TrustAnchor]) {
        hash.append("android")
        hash.append(anchors(with: testRoots))
        for app in (policy.apps ?? []).sorted(by: { ($0.packageName ?? "") < ($1.packageName ?? "") }) {
            hash.append(app.packageName ?? "")
            hash.append((app.signers ?? []).map { Hex.encode($0) }.sorted().joined(separator: ","))
            hash.append(app.minimumVersion.map { "\($0)" } ?? "any")
        }
        hash.append(UInt64(policy.minimumLevel.rawValue))
        if let boot = policy.boot {
            hash.append(boot.states.map(\.name).sorted().joined(separator: ","))
            hash.append(boot.requiresLocked ? 1 : 0)
            hash.append(boot.selfSignedKeys.map { Hex.encode($0) }.sorted().joined(separator: ","))
            hash.append(boot.deniedKeys.map { Hex.encode($0) }.sorted().joined(separator: ","))
            hash.append(boot.allowedTestKeys.map(\.rawValue).sorted().joined(separator: ","))
        }
        hash.append(policy.minimumOSVersion.map { "\($0)" } ?? "any")
        for oldest in [policy.patchLevels.os, policy.patchLevels.vendor, policy.patchLevels.boot] {
            hash.append(oldest.map(\.text) ?? "any")
        }
        hash.append(policy.patchLevels.refusesUnreadable ? 1 : 0)
        hash.append(policy.patchLevels.monthsAhead.map { "\($0)" } ?? "any")
        policy.key.digest(into: &hash)
        policy.provisioning.digest(into: &hash)
        for (tag, expected) in policy.attestedIDs.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            hash.append(tag.name)
            hash.append(expected.sorted().map(\.text).joined(separator: "\u{0}"))
        }
        hash.append(policy.creationWindow.map { "\($0)" } ?? "any")
        hash.append(policy.requiresTagOrder ? 1 : 0)
        hash.append(policy.allowsSuspended ? 1 : 0)
        hash.append(policy.denied.serials.map { Hex.encode($0) }.sorted().joined(separator: ","))
        hash.append(policy.denied.publicKeys.map { Hex.encode($0) }.sorted().joined(separator: ","))
        hash.append(revocation.name)
        hash.append(requiresPlayIntegrity ? 1 : 0)
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

extension KeyRule {
    fileprivate func digest(into hash: inout FieldDigest) {
        hash.append(origins.map(\.name).sorted().joined(separator: ","))
        hash.append(requiredPurposes.map(\.name).sorted().joined(separator: ","))
        hash.append(forbiddenPurposes.map(\.name).sorted().joined(separator: ","))
        hash.append(kinds.map { $0.map(\.rawValue).sorted().joined(separator: ",") } ?? "any")
        hash.append(properties.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(authentication.map { $0.methods.map(\.rawValue).sorted().joined(separator: ",") } ?? "none")
        hash.append(authentication?.longest.map { "\($0)" } ?? "any")
    }
}

extension RemoteKeyProvisioningRule {
    fileprivate func digest(into hash: inout FieldDigest) {
        hash.append(requiresRemote ? 1 : 0)
        hash.append(certificateLimit.map { "\($0)" } ?? "any")
        hash.append(UInt64(bitPattern: Int64(remoteKeyPerDay)))
        hash.append(UInt64(bitPattern: Int64(factoryKeyPerDay)))
        hash.append(refusesOveruse ? 1 : 0)
    }
}
