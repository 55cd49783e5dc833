extension ReasonCode {
    /// Whether the rejection says that what was sent is not of this moment, or that the key or the device was withdrawn: a challenge, a token or a
    /// counter that was used before, has expired or belongs to another request; a revoked certificate; a blocked device.
    ///
    /// Such a rejection says nothing of the app's policy, and no honest client is hit by it for its hardware or its version. So an app that does
    /// not enforce its verdicts refuses it all the same (``EnforcementRule``), and a device with such rejections does not look honest.
    public var isReplayOrRevocation: Bool {
        switch self {
        case .challengeInvalid, .challengeWrongPurpose, .challengeExpired, .challengeReused, .challengeAttemptsExceeded,
            .idempotencyKeyReused, .clientDataMismatch, .nonceMismatch, .challengeMismatch, .requestHashMismatch,
            .receiptClientHashMismatch, .staleTimestamp, .timestampTooOld, .counterNotIncreasing, .counterTooOld,
            .providerDeprecated, .csrNotBound:
            true
        case .revoked, .deviceBlocked: true
        case .payloadRequired, .bindingNotAllowed, .payloadNotBound, .evidenceTooLarge, .formatNotAccepted, .wrongFormat,
            .malformed, .signatureMalformed, .malformedCBOR, .malformedCertificate, .malformedAuthData,
            .malformedNonceExtension, .receiptMissing, .malformedCMS, .malformedReceipt, .badChain, .nameChaining,
            .caUsedAsLeaf, .caAsLeaf, .wrongCurve, .keyUsage, .unsupportedAlgorithm, .unsupportedKey, .hostnameMismatch,
            .badSignature, .untrustedRoot, .notYetValid, .expired, .keyIDMismatch, .credentialIDMismatch,
            .credentialKeyMismatch, .appIDMismatch, .flagsInvalid, .counterNotZero, .environmentMismatch, .aclMissing,
            .aclMismatch, .receiptSignerUnexpected, .publicKeyMismatch, .receiptTypeUnexpected, .timestampInFuture,
            .receiptExpired, .receiptTooOld, .malformedExtension, .missingAttestationExtension, .chainExtended, .chainShape,
            .softwareLevel, .securityLevelMismatch, .rootOfTrustMissing, .bootloaderUnlocked, .bootState, .keyOrigin,
            .keyPurpose, .keyNotAppBound, .keyType, .attestedAppMissing, .attestedAppUnavailable, .packageMismatch,
            .signerMismatch, .tagsNotAscending, .versionsDiffer, .malformedToken, .badAlgorithm, .decryptionFailed,
            .testingResponse, .appVerdict, .deviceVerdict, .ctsProfileMismatch, .pluginQuarantined, .vendorRefused,
            .secretUndecryptable, .serialMismatch, .splitNotAllowed, .offlineNotAllowed, .malformedCSR,
            .possessionNotProven, .csrKeyMismatch, .assuranceTooLow, .categoryMissing, .categoryNotAllowed,
            .bundleVersionNotAllowed, .receiptNotVerified, .riskMetricTooHigh, .deviceBits, .securityLevelTooLow, .bootKey,
            .bootKeyDenied, .appVersion, .osVersion, .patchLevelTooOld, .patchLevelInFuture, .keyProperties,
            .createdOutOfWindow, .attestedIDMismatch, .remoteProvisioningRequired, .provisioningCount,
            .attestationKeyOverused, .sdkVersionUnevaluated, .appNotLicensed, .licenseUnevaluated, .playProtect,
            .appAccessRisk, .deviceActivity, .deviceRecalled, .accountActivity, .evidenceMissing, .confidenceTooLow,
            .metadataFlagsViolated, .unknownDevice, .deviceFlagged, .deviceMismatch, .keyOwnerMismatch,
            .keyAlreadyRegistered, .tooManyDevices, .replacementRefused, .importedNotAccepted, .simulatedNotAccepted,
            .unknownCertificate, .keyAlreadyCertified, .certificateSerialTaken, .tooManySubmissions, .notEnrolled,
            .alreadyProvisioned:
            false
        }
    }
}
