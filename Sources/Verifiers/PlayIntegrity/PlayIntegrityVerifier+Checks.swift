import AssayCore
import Crypto

/// The checks of the payload. `docs/verifiers/play-integrity.md` has their numbers.
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
                    .staleTimestamp, "the token was made \(age / 1000) s ago, at most \(policy.maxAgeMilliseconds / 1000) s")
            }
        }
    }

    /// Nonce or request hash, and exactly one of them.
    private func checkBinding(_ payload: PlayPayload, _ binding: Binding) throws(Rejection) {
        switch (payload.nonce, payload.requestHash) {
        case (let nonce?, nil):
            guard policy.kinds.contains(.classic) else {
                throw Rejection(.requestHashMismatch, "the app takes tokens of standard requests only")
            }
            guard let bytes = Self.bytes(ofNonce: nonce), bytes == binding.clientData else {
                throw Rejection(
                    .nonceMismatch,
                    "the nonce is that of other client data: its SHA-256 is \(Hex.short(SHA256.bytes(of: Self.bytes(ofNonce: nonce) ?? []))), expected "
                        + Hex.short(binding.clientDataHash))
            }
        case (nil, let hash?):
            guard policy.kinds.contains(.standard) else {
                throw Rejection(.nonceMismatch, "the app takes tokens of classic requests only")
            }
            guard hash.utf8.elementsEqual(Base64.url.encode(binding.clientDataHash).utf8) else {
                throw Rejection(
                    .requestHashMismatch,
                    "the request hash is \(Hex.short(Base64.url.decode(hash) ?? [])), expected \(Hex.short(binding.clientDataHash))"
                )
            }
        case (nil, nil): throw Rejection(.requestHashMismatch, "the token is bound to nothing")
        case (_?, _?): throw Rejection(.requestHashMismatch, "the token has a nonce and a request hash")
        }
    }

    /// Base64url; versions of the client's library differ in whether they keep the padding.
    private static func bytes(ofNonce nonce: String) -> [UInt8]? {
        guard nonce.hasSuffix("=") else { return Base64.url.decode(nonce) }
        guard nonce.utf8.count % 4 == 0 else { return nil }
        return Base64.url.decode(nonce.dropLast(nonce.hasSuffix("==") ? 2 : 1))
    }

    private static let cleared = "nothing was evaluated: the device is not trusted, or the token was decoded before"

    /// P11 to P14: Google Play's statement about the app.
    func checkApp(_ payload: PlayPayload, _ appraisal: inout Appraisal) throws(Rejection) {
        let app = payload.app
        if payload.isCleared {
            appraisal.note("app_verdict", "verdicts_cleared", Self.cleared)
        }
        try appraisal.check("app_verdict") { () throws(Rejection) in
            guard let verdict = PlayVerdict.App(bytesOf: app.verdict ?? "") else {
                throw Rejection(.appVerdict, payload.isCleared ? Self.cleared : "the app was not evaluated")
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
                "signer", app.signers.contains(where: signers.contains), else: .signerMismatch,
                "the package is signed by \(app.signers.shownShort), allowed: \(signers.shownShort)")
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
            "the device has the labels \(PlayVerdict.Device.allCases.filter(payload.device.has).map(\.rawValue).shown), the app demands one of "
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
                throw Rejection(.packageMismatch, "another package made the attested key")
            }
            guard app.signers.contains(where: key.signers.contains) else {
                throw Rejection(.signerMismatch, "the package that made the attested key is signed by others")
            }
        }
    }
}

extension PlayPayload.App {
    /// The token's digests of 32 bytes; other values are no digests.
    fileprivate var signers: [[UInt8]] {
        (certificateDigests ?? []).compactMap { Base64.url.decode($0) }.filter { $0.count == 32 }
    }
}
