import AssayCertificates
import AssayCore

/// From bytes to an authentic statement.
extension CertificateBundleVerifier {
    /// The bundle's form, and its signature's form, without cryptography.
    func read(
        _ evidence: BoundedEvidence, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) -> BundleReading {
        // An examination judges each step, so that none is left out.
        let isExamined = context.examination != nil
        let before = (context.reading as? BundleReading).flatMap { !isExamined && $0.isFor(known) ? $0 : nil }
        let content = try appraisal.check("form") { () throws(Rejection) -> BundleContent in
            if let before { return before.content }
            return try BundleContent(evidence)
        }
        if content.isSplit {
            try appraisal.require(
                "split", policy.allowsSplit, else: .splitNotAllowed,
                "the app wants to see what was signed, not its digest alone")
        }
        let signature = try appraisal.check("signature_form") { () throws(Rejection) -> BundleSignature in
            if let before { return before.signature }
            return try BundleSignature(parsing: content.signature)
        }
        return before ?? BundleReading(content, signature, known, asks: !isExamined)
    }

    /// Leads certificates to an anchor.
    func trust(
        _ presented: Result<PresentedCertificates, Rejection>, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) -> TrustedCertificates {
        let presented = try appraisal.check("certificate") { () throws(Rejection) in try presented.get() }
        let chain = try validator.validate(presented.chain(below: authorities.all), at: now) {
            (step, run) throws(Rejection) in
            try appraisal.check(step.rawValue, run)
        }
        let fleet = FleetExtensions(chain.leaf, arc: policy.arc)
        return TrustedCertificates(
            presented.encoding, chain, fleet,
            deviceKeyID: Result { () throws(Rejection) in try deviceKeyID(fleet) })
    }

    /// Trusts certificates that this verifier trusted before: their dates are judged, all else is as it was.
    func trust(
        _ known: TrustedCertificates, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) -> TrustedCertificates {
        appraisal.findings.append(.pass("certificate"))
        try validator.validate(again: known.chain, at: now) { (step, run) throws(Rejection) in
            try appraisal.check(step.rawValue, run)
        }
        return known
    }

    /// The anchor's own dates, and the curve of the leaf's key.
    func checkAnchor(
        of certificates: TrustedCertificates, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let anchor = certificates.chain.anchor
        appraisal.simulated = anchor.simulated
        // A configured CA is trusted for as long as its certificate says.
        try appraisal.check("authority_validity") { () throws(Rejection) in
            do throws(Rejection) {
                try anchor.validity.requireStarted(at: now, skew: Self.skew)
                try anchor.validity.requireNotEnded(at: now, skew: Self.skew)
            } catch {
                throw error.at("the CA (\("\(anchor.subject)".shownName))")
            }
        }
        let algorithm = certificates.chain.leaf.publicKey.algorithm
        try appraisal.require("curve", algorithm == .p256, else: .wrongCurve, "a key of kind \(algorithm)")
    }

    /// The registry, and the lists of the issuers of all certificates of the chain.
    func checkRevocation(
        of certificates: TrustedCertificates, _ record: DeviceCertificate?, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        if let revocation = record?.revocation {
            try appraisal.require(
                "revocation", false, else: .revoked,
                "the certificate is revoked since \(revocation.time): \(revocation.reason.name)")
        }
        var isListed = record != nil
        for (serial, issuer) in certificates.links {
            for list in lists where list.issuer == issuer {
                isListed = true
                try list.judge(serial, at: now, &appraisal)
            }
        }
        if isListed {
            appraisal.findings.append(.pass("revocation"))
        } else {
            appraisal.note("revocation", "revocation_not_consulted", "there is no list of the CA that issued the certificate")
        }
    }

    func checkSignature(
        _ signature: BundleSignature, _ content: BundleContent, _ certificates: TrustedCertificates,
        _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.requirePassed("curve")
        try appraisal.check("signature") { () throws(Rejection) in
            guard case .p256(let key) = try certificates.key.get(), signature.isValid(by: key, over: content.signedSHA256)
            else {
                throw Rejection(.badSignature, "the certificate's key did not sign this")
            }
        }
    }

    /// What the bundle and its certificate say. Never the hashes of image and location, the secret, or the digest of what was signed:
    /// they would tell who showed what.
    func claim(
        _ content: BundleContent, _ signature: BundleSignature, _ certificates: TrustedCertificates,
        _ appraisal: inout Appraisal
    ) {
        let fleet = certificates.fleet
        appraisal.claims.reserveCapacity(20)
        appraisal.claims.add("timestamp", content.time.map { .integer($0.seconds) })
        appraisal.claims.add("certificate_serial", .text(certificates.serial))
        appraisal.claims.add("certificate_sha256", .bytes(certificates.digest))
        appraisal.claims.add("certificate_encoding", .text(certificates.encoding.rawValue))
        appraisal.claims.add("certificate_not_after", .time(certificates.chain.leaf.validity.notAfter))
        appraisal.claims.add("signature_form", .text(signature.form.rawValue))
        appraisal.claims.add("signed_bytes_length", content.signedLength.map { .integer(Int64($0)) })
        appraisal.claims.add("device_serial", certificates.deviceSerial.map { .text($0) })
        appraisal.claims.add("device_family", fleet.family.map { .text($0) })
        appraisal.claims.add("manufacturer", fleet.manufacturer.map { .text($0) })
        appraisal.claims.add("validation_endpoint", fleet.validationEndpoint.map { .text($0) })
        appraisal.claims.add("table_id", fleet.table.map { .integer(Int64($0)) })
        appraisal.claims.add("key_index", fleet.keyIndex.map { .integer(Int64($0)) })
    }

    /// - Parameter validity: of the certificate. It is part of what was signed, so it existed by then: an earlier time is wrong, but for
    ///   the difference of clocks that is allowed into the future.
    func checkTime(
        _ content: BundleContent, _ validity: Validity, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard let time = content.time?.timestamp else {
            return appraisal.note(
                "timestamp", "timestamp_not_shown", "only the digest is shown, so that the time cannot be judged")
        }
        try appraisal.check("timestamp") { () throws(Rejection) in
            guard time <= now.adding(milliseconds: policy.maxFuture) else {
                throw Rejection(
                    .timestampInFuture,
                    "the bundle is of \(time), now is \(now), at most \(DurationText.exact(policy.maxFuture)) ahead")
            }
            guard time >= now.adding(milliseconds: -policy.maxAge) else {
                throw Rejection(
                    .timestampTooOld,
                    "the bundle is of \(time), now is \(now), at most \(DurationText.exact(policy.maxAge)) old")
            }
            guard time.adding(milliseconds: policy.maxFuture) >= validity.notBefore else {
                throw Rejection(
                    .notYetValid, "the bundle is of \(time), and its certificate is valid from \(validity.notBefore)")
            }
        }
    }
}
