import AssayCore

/// The checks of the payload. `docs/reference/verifiers/play-integrity.md` has their numbers.
extension PlayIntegrityVerifier {
    /// P7 to P10: no test response, the package that requested the token, the binding of the token, its age.
    func checkRequest(
        _ payload: PlayPayload, _ context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.require(
            "testing", !payload.isTestingResponse, else: .testingResponse, "the token carries whatever its tester chose")
        try appraisal.require(
            "request_package", identity.isPackage(payload.requestPackageName), else: .packageMismatch,
            "\(payload.requestPackageName.shown) asked for the token, the app is \(identity.packages.sorted().shown)")
        try appraisal.check("request_binding") { () throws(Rejection) in try checkBinding(payload, context.binding) }
        try appraisal.check("timestamp") { () throws(Rejection) in
            let age = context.now.milliseconds(since: payload.timestamp)
            guard age >= -PlayIntegrityPolicy.skew else {
                throw Rejection(.staleTimestamp, "the token was made in the future, by Google's clock")
            }
            guard age <= policy.maxAgeMilliseconds else {
                throw Rejection(
                    .staleTimestamp,
                    "the token was made \(DurationText.toTheSecond(age)) ago, at most \(DurationText.exact(policy.maxAgeMilliseconds))"
                )
            }
        }
    }

    private static let cleared = "nothing was evaluated: the device is not trusted, or the token was decoded before"

    /// P11 to P14: Google Play's statement about the app.
    func checkApp(_ payload: PlayPayload, _ appraisal: inout Appraisal) throws(Rejection) {
        let app = payload.app
        if payload.isCleared {
            appraisal.note("app_verdict", "verdicts_cleared", Self.cleared)
        }
        try appraisal.check("app_verdict") { () throws(Rejection) in
            guard let stated = app.verdict, !PlayVerdict.isUnevaluated(stated) else {
                throw Rejection(.appVerdict, payload.isCleared ? Self.cleared : "the app was not evaluated")
            }
            guard let verdict = PlayVerdict.App(bytesOf: stated) else {
                throw Rejection(.appVerdict, "Google Play says \(stated.shown), which no policy can allow")
            }
            guard policy.appVerdicts.contains(verdict) else {
                throw Rejection(
                    .appVerdict,
                    "Google Play says \(verdict.rawValue), allowed: \(policy.appVerdicts.map(\.rawValue).sorted().joined(separator: ", "))"
                )
            }
        }
        try appraisal.require(
            "package", identity.isPackage(app.packageName), else: .packageMismatch,
            "the token is about \(app.packageName?.shown ?? "no package"), the app is \(identity.packages.sorted().shown)")
        if let signers = identity.signers {
            try appraisal.require(
                "signer", app.signers.digests.contains(where: signers.contains), else: .signerMismatch,
                "\(app.signers.sentence(beside: signers)), allowed: \(signers.shownShort(beside: app.signers.digests))")
        }
        if let least = policy.minVersionCode {
            try appraisal.require(
                "app_version", app.versionCode.map { $0 >= least } == true, else: .appVersion,
                "version code \(app.versionCode.map(String.init) ?? "not told"), want at least \(least)")
        }
    }

    /// P15 and P16: Google's statement about the device, and its API level.
    func checkDevice(_ payload: PlayPayload, _ appraisal: inout Appraisal) throws(Rejection) {
        try appraisal.require(
            "device_verdict", policy.deviceVerdicts.contains { payload.device.has($0) },
            else: .deviceVerdict,
            "the device has the labels \(payload.device.labels.shown), the app demands one of "
                + policy.deviceVerdicts.map(\.rawValue).sorted().shown)
        guard let least = policy.minSDKVersion else { return }
        try appraisal.check("sdk_version") { () throws(Rejection) in
            guard let version = payload.device.sdkVersion else {
                throw Rejection(.sdkVersionUnevaluated, "the token does not tell the system's version")
            }
            guard version >= least else { throw Rejection(.osVersion, "API level \(version), want at least \(least)") }
        }
    }

    /// P18: token and attested key belong to the same app.
    func checkAttestedApp(
        _ app: PlayPayload.App, _ key: AttestedKey?, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard let key else { return }
        try appraisal.check("attested_app") { () throws(Rejection) in
            guard let package = app.packageName, PlayIntegrityIdentity.contains(key.packages, package) else {
                throw Rejection(
                    .packageMismatch,
                    "the token is about \(app.packageName?.shown ?? "no package"), the attested key is of \(key.packages.shown)"
                )
            }
            let signers = app.signers
            guard signers.digests.contains(where: key.signers.contains) else {
                throw Rejection(
                    .signerMismatch,
                    "\(signers.sentence(beside: key.signers)); that of the attested key by \(key.signers.shownShort(beside: signers.digests))"
                )
            }
        }
    }
}
