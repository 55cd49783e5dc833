package import AssayCore
import AssayEncoding

/// Decides whether presented certificates lead from the leaf to a trust anchor (RFC 5280 §6.1, for chains in order). The
/// mechanism is general; the profile holds one platform's requirements. A root is never trusted because it was sent.
package struct ChainValidator: Sendable {
    package let anchors: [TrustAnchor]
    package let profile: ChainProfile
    package let links: LinkCache?
    /// Roots that are recognised but not trusted: a chain that ends at one is `software_level` rather than `untrusted_root`.
    private let recognised: [TrustAnchor]

    /// The steps in order: cheap ones first, signatures last. The raw value is the finding's name.
    package enum Step: String, CaseIterable, Sendable {
        /// Each issuer is the next subject.
        case names = "chain_names"
        /// Critical extensions, CA flags, path lengths, key usage.
        case constraints = "chain_constraints"
        /// Signature algorithms and public keys are allowed and sound.
        case algorithms = "chain_algorithms"
        /// The issuer of the top certificate is an anchor.
        case anchor = "chain_anchor"
        /// All certificates are valid now.
        case validity = "chain_validity"
        case signatures = "chain_signatures"
    }

    package init(anchors: [TrustAnchor], profile: ChainProfile, links: LinkCache?, recognised: [TrustAnchor] = []) {
        (self.anchors, self.profile, self.links, self.recognised) = (anchors, profile, links, recognised)
    }

    /// - Parameter run: performs each step; a caller that lists findings wraps it. It must run the step and rethrow its error,
    ///   unless it only examines (`Examination`): then a chain with a failed step may be returned for inspection. A chain is
    ///   returned only if all its signatures were verified up to an anchor.
    package func validate(
        _ chain: UnverifiedChain, at now: Timestamp,
        run: (Step, () throws(Rejection) -> Void) throws(Rejection) -> Void
    ) throws(Rejection) -> ValidatedChain {
        try UnverifiedChain.checkLength(chain.authorities.count + 1, profile: profile)
        var keys = ChainKeys()
        var candidates: [TrustAnchor] = []
        var reached: TrustAnchor?
        try run(.names) { () throws(Rejection) in try checkNames(chain) }
        try run(.constraints) { () throws(Rejection) in try checkConstraints(chain) }
        try run(.algorithms) { () throws(Rejection) in keys = try soundKeys(chain) }
        try run(.anchor) { () throws(Rejection) in candidates = try self.candidates(above: chain.top) }
        if profile.checksValidity {
            try run(.validity) { () throws(Rejection) in try checkValidity(chain.certificates, at: now) }
        }
        // Reached only in an examination: without an anchor the top's signature cannot be verified.
        guard !candidates.isEmpty else { throw Rejection(.untrustedRoot, "the chain does not end at an anchor") }
        try run(.signatures) { () throws(Rejection) in reached = try verify(chain, keys: keys, below: candidates) }
        guard let anchor = reached, keys.authorities.count == chain.authorities.count else {
            throw Rejection(.badChain, "a step was not run, or failed")
        }
        return ValidatedChain(chain, leafKey: keys.leaf, anchor: anchor)
    }

    package func validate(_ chain: UnverifiedChain, at now: Timestamp) throws(Rejection) -> ValidatedChain {
        try validate(chain, at: now) { (_, step) throws(Rejection) in try step() }
    }

    /// Judges again a chain that this validator returned: its dates. All other steps follow from the chain and from what is fixed for the
    /// validator, and have the outcome that they had.
    ///
    /// - Parameter run: as above.
    package func validate(
        again chain: ValidatedChain, at now: Timestamp,
        run: (Step, () throws(Rejection) -> Void) throws(Rejection) -> Void
    ) throws(Rejection) {
        for step in Step.allCases where step != .validity || profile.checksValidity {
            try run(step) { () throws(Rejection) in
                guard step == .validity else { return }
                try checkValidity(chain.certificates, at: now)
            }
        }
    }

    private func checkNames(_ chain: UnverifiedChain) throws(Rejection) {
        for (index, (subject, issuer)) in zip(chain.certificates, chain.authorities).enumerated() {
            guard subject.issuer == issuer.subject else {
                throw Rejection(
                    .nameChaining,
                    "certificate \(index) is issued by \("\(subject.issuer)".shownName), the next one is "
                        + "\("\(issuer.subject)".shownName)")
            }
        }
    }

    private func checkConstraints(_ chain: UnverifiedChain) throws(Rejection) {
        // RFC 5280 §6.1: no certificate twice. In a chain of matching names only self-issued certificates can be repeated.
        let certificates = chain.certificates
        for (index, certificate) in certificates.enumerated()
        where certificates[..<index].contains(where: { $0.der.equals(certificate.der) }) {
            throw Rejection(.badChain, "certificate \(index) stands in the chain before")
        }
        guard profile.checksConstraints else { return }
        for (index, certificate) in certificates.enumerated() {
            guard let oid = certificate.unknownCriticalExtension(besides: profile.criticalExtensions) else { continue }
            throw Rejection(.malformedCertificate, "certificate \(index) has the unknown critical extension \(oid)")
        }
        guard try chain.leaf.basicConstraints()?.isCA != true else {
            throw Rejection(profile.authorityAsLeaf, "the first certificate is that of a CA")
        }
        let leafUsage = try chain.leaf.keyUsage()
        guard profile.leafUsage.isEmpty || leafUsage?.isSuperset(of: profile.leafUsage) == true else {
            throw Rejection(.keyUsage, "the leaf is not certified for this use")
        }
        var authoritiesBelow = 0
        for (index, authority) in chain.authorities.enumerated() {
            func name() -> String { "certificate \(index + 1)" }
            guard let constraints = try authority.basicConstraints(), constraints.isCA else {
                throw Rejection(.badChain, "\(name()), an issuer, is not a CA")
            }
            if let most = constraints.pathLength, authoritiesBelow > most {
                throw Rejection(
                    .badChain, "\(name()) has \(authoritiesBelow) CA certificates below it, its path length allows \(most)")
            }
            guard try authority.keyUsage()?.contains(.keyCertSign) == true else {
                throw Rejection(.keyUsage, "\(name()), an issuer, may not sign certificates")
            }
            if !authority.isSelfIssued { authoritiesBelow += 1 }
        }
    }

    private func soundKeys(_ chain: UnverifiedChain) throws(Rejection) -> ChainKeys {
        var keys = ChainKeys()
        keys.authorities.reserveCapacity(chain.authorities.count)
        for (depth, certificate) in chain.certificates.enumerated() {
            guard profile.signatureAlgorithms.contains(certificate.signatureAlgorithm) else {
                throw Rejection(
                    .unsupportedAlgorithm, "certificate \(depth) is signed with \(certificate.signatureAlgorithm)")
            }
            guard let allowed = depth == 0 ? profile.leafKeys : profile.authorityKeys else { continue }
            guard allowed.contains(certificate.publicKey.algorithm) else {
                throw Rejection(
                    .unsupportedKey, "certificate \(depth) has a key of the kind \(certificate.publicKey.algorithm)")
            }
            let allowsWeakRSA = certificate.publicKey.algorithm == .rsa && endsInSoftware(chain)
            // A device's own leaf is seen once.
            let recurs = depth > 0 || profile.leafRecurs
            let key =
                recurs
                ? try certificate.decodedKey(allowsWeakRSA: allowsWeakRSA)
                : try PublicKey(certificate.publicKey, allowsWeakRSA: allowsWeakRSA)
            if depth == 0 { keys.leaf = key } else { keys.authorities.append(key) }
        }
        return keys
    }

    /// Whether the chain can end only at a root whose private key is public: weak keys are accepted only there.
    private func endsInSoftware(_ chain: UnverifiedChain) -> Bool {
        let roots = (anchors + recognised).filter { $0.subject == chain.top.issuer }
        return !roots.isEmpty && roots.allSatisfy(\.isSoftware)
    }

    /// The anchors with the issuer's name. If the top certificate is self-issued its key must be an anchor's too: an invented
    /// root is an untrusted root, not a bad signature.
    private func candidates(above top: Certificate) throws(Rejection) -> [TrustAnchor] {
        let candidates = anchors.filter {
            $0.subject == top.issuer && (!top.isSelfIssued || $0.publicKey == top.publicKey)
        }
        guard candidates.isEmpty else { return candidates }
        guard recognised.contains(where: { $0.subject == top.issuer && Self.signed(top, $0.key) }) else {
            throw Rejection(
                .untrustedRoot, "the chain does not end at an anchor: its top is issued by \("\(top.issuer)".shownName)")
        }
        throw Rejection(.softwareLevel, "the chain ends at a root whose private key is public")
    }

    private static func signed(_ certificate: Certificate, _ key: PublicKey) -> Bool {
        let signed: Void? = try? key.verify(
            certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
        return signed != nil
    }

    /// Checks that all certificates of a chain were valid at another time too.
    package func checkValidity(of chain: ValidatedChain, at time: Timestamp) throws(Rejection) {
        try checkValidity(chain.certificates, at: time)
    }

    private func checkValidity(_ certificates: [Certificate], at now: Timestamp) throws(Rejection) {
        for (index, certificate) in certificates.enumerated() {
            try certificate.requireValid(at: now, skew: profile.skewMilliseconds, place: index)
        }
    }

    /// From the anchor down to the leaf, so that a link is cached only after its path has reached the anchor. A top certificate
    /// with an anchor's name but without its signature has an untrusted root.
    private func verify(
        _ chain: UnverifiedChain, keys: ChainKeys, below candidates: [TrustAnchor]
    ) throws(Rejection) -> TrustAnchor {
        var reached: TrustAnchor?
        // Anchors with the same name: their number is limited by the configuration.
        for anchor in candidates where reached == nil {
            do throws(Rejection) {
                try verify(
                    chain.top, by: anchor.key, keySHA256: anchor.publicKeySHA256,
                    recurs: !chain.authorities.isEmpty || profile.leafRecurs)
                reached = anchor
            } catch { continue }
        }
        guard let reached else { throw Rejection(.untrustedRoot, "no anchor of that name signed the top certificate") }
        // Issuers from the top down: each has been verified when it verifies the next.
        for depth in chain.authorities.indices.prefix(keys.authorities.count).reversed() {
            do throws(Rejection) {
                try verify(
                    chain.certificates[depth], by: keys.authorities[depth], keySHA256: chain.authorities[depth].publicKeySHA256,
                    recurs: depth > 0 || profile.leafRecurs)
            } catch {
                throw error.at("certificate \(depth)")
            }
        }
        return reached
    }

    private func verify(
        _ certificate: Certificate, by key: PublicKey, keySHA256: @autoclosure () -> [UInt8], recurs: Bool
    ) throws(Rejection) {
        let isRemembered = recurs && links != nil && certificate.validity.length >= profile.shortestRemembered
        let link =
            isRemembered ? LinkCache.Link(issuerKey: keySHA256(), certificate: certificate.digest) : nil
        if let link, links?.contains(link) == true { return }
        try key.verify(certificate.signature, by: certificate.signatureAlgorithm, over: certificate.signedPart)
        if let link { links?.insert(link, certificate) }
    }
}

extension Certificate {
    /// The first critical extension that is none of those, and not of RFC 5280's two; `nil`: there is none.
    fileprivate func unknownCriticalExtension(besides known: Set<OID>) -> OID? {
        // By index: an iterator would copy each.
        for index in extensions.indices where extensions[index].isCritical {
            let oid = extensions[index].oid
            guard oid == .basicConstraints || oid == .keyUsage || known.contains(oid) else { return oid }
        }
        return nil
    }
}

/// The parsed keys of a chain.
private struct ChainKeys {
    /// `nil` if the profile accepts any key.
    var leaf: PublicKey?
    /// In order, from the key that signed the leaf.
    var authorities: [PublicKey] = []
}
