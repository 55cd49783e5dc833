package import AssayCertificates
package import AssayCore

extension PlayIntegritySection {
    /// Of the keys their fingerprints count. Who asks Google, and where, does not bear on a verdict.
    package func digest(into hash: inout FieldDigest, testRoots: [TrustAnchor]) {
        hash.append("play-integrity")
        hash.append(app.packages.sorted().joined(separator: ","))
        for signer in (app.signers ?? []).sorted(by: { $0.lexicographicallyPrecedes($1) }) { hash.append(signer) }
        hash.append(decoding.rawValue)
        for keySet in keys { hash.append(keySet.fingerprint) }
        hash.append(policy.kinds.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(UInt64(bitPattern: policy.maxAgeMilliseconds))
        hash.append(policy.appVerdicts.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(policy.deviceVerdicts.map(\.rawValue).sorted().joined(separator: ","))
        hash.append(policy.minVersionCode.map(String.init) ?? "any")
        hash.append(policy.minSDKVersion.map(String.init) ?? "any")
        for signal in PlaySignal.allCases {
            hash.append(signal.rawValue)
            for (value, reaction) in policy.reactions(to: signal).sorted(by: { $0.key < $1.key }) {
                hash.append(value.text)
                hash.append(reaction.rawValue)
            }
        }
    }
}
