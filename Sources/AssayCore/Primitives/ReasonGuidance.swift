/// The usual cause of a rejection, and how to fix it: for operators and authors of apps. `docs/reference/reason-codes.md` and the commands
/// that explain a verdict show the same texts.
///
/// The texts have no value of a verdict, so that each of them goes with every verdict of its code. In back quotes are keys of the
/// configuration, from the app's section on (`android.packages`) or from the top (`trust.test_roots`), commands, and names of the
/// platforms' interfaces. A test looks up each key and each command. Where a code is mostly the result of an attack, the texts
/// say so and name no way around the check.
package struct ReasonGuidance: Hashable, Sendable {
    /// What in practice leads to the code, the most frequent first. At most 300 characters in whole sentences.
    package let cause: String
    /// Who does what. At most 300 characters in whole sentences.
    package let remedy: String
}

extension ReasonCode {
    /// Has no `default`, so that a new code cannot be added without its guidance.
    package var guidance: ReasonGuidance {
        switch self {
        case .challengeInvalid: .challengeInvalid
        case .challengeWrongPurpose: .challengeWrongPurpose
        case .challengeExpired: .challengeExpired
        case .challengeReused: .challengeReused
        case .challengeAttemptsExceeded: .challengeAttemptsExceeded
        case .idempotencyKeyReused: .idempotencyKeyReused
        case .clientDataMismatch: .clientDataMismatch
        case .payloadRequired: .payloadRequired
        case .bindingNotAllowed: .bindingNotAllowed
        case .payloadNotBound: .payloadNotBound
        case .evidenceTooLarge: .evidenceTooLarge
        case .formatNotAccepted: .formatNotAccepted
        case .wrongFormat: .wrongFormat
        case .malformed: .malformed
        case .signatureMalformed: .signatureMalformed
        case .malformedCBOR: .malformedCBOR
        case .malformedCertificate: .malformedCertificate
        case .malformedAuthData: .malformedAuthData
        case .malformedNonceExtension: .malformedNonceExtension
        case .receiptMissing: .receiptMissing
        case .malformedCMS, .malformedReceipt: .changedReceipt
        case .badChain: .badChain
        case .nameChaining: .nameChaining
        case .caUsedAsLeaf: .caUsedAsLeaf
        case .caAsLeaf: .caAsLeaf
        case .wrongCurve: .wrongCurve
        case .keyUsage: .keyUsage
        case .unsupportedAlgorithm: .unsupportedAlgorithm
        case .unsupportedKey: .unsupportedKey
        case .hostnameMismatch: .hostnameMismatch
        case .badSignature: .badSignature
        case .untrustedRoot: .untrustedRoot
        case .notYetValid: .notYetValid
        case .expired: .expired
        case .nonceMismatch: .nonceMismatch
        case .keyIDMismatch: .keyIDMismatch
        case .credentialIDMismatch, .credentialKeyMismatch, .flagsInvalid, .counterNotZero: .forgedStatement
        case .appIDMismatch: .appIDMismatch
        case .environmentMismatch: .environmentMismatch
        case .aclMissing, .aclMismatch: .accessControl
        case .counterNotIncreasing: .counterNotIncreasing
        case .counterTooOld: .counterTooOld
        case .receiptSignerUnexpected: .receiptSignerUnexpected
        case .publicKeyMismatch, .receiptTypeUnexpected, .receiptClientHashMismatch: .foreignReceipt
        case .timestampInFuture: .timestampInFuture
        case .receiptExpired: .receiptExpired
        case .receiptTooOld: .receiptTooOld
        case .challengeMismatch: .challengeMismatch
        case .malformedExtension: .malformedExtension
        case .missingAttestationExtension: .missingAttestationExtension
        case .chainExtended: .chainExtended
        case .chainShape: .chainShape
        case .revoked: .revoked
        case .softwareLevel: .softwareLevel
        case .securityLevelMismatch: .securityLevelMismatch
        case .rootOfTrustMissing: .rootOfTrustMissing
        case .bootloaderUnlocked: .bootloaderUnlocked
        case .bootState: .bootState
        case .keyOrigin: .keyOrigin
        case .keyPurpose: .keyPurpose
        case .keyNotAppBound: .keyNotAppBound
        case .keyType: .keyType
        case .attestedAppMissing: .attestedAppMissing
        case .attestedAppUnavailable: .attestedAppUnavailable
        case .packageMismatch: .packageMismatch
        case .signerMismatch: .signerMismatch
        case .tagsNotAscending: .tagsNotAscending
        case .versionsDiffer: .versionsDiffer
        case .malformedToken: .malformedToken
        case .badAlgorithm: .badAlgorithm
        case .decryptionFailed: .decryptionFailed
        case .requestHashMismatch: .requestHashMismatch
        case .staleTimestamp: .staleTimestamp
        case .testingResponse: .testingResponse
        case .appVerdict: .appVerdict
        case .deviceVerdict: .deviceVerdict
        case .ctsProfileMismatch: .ctsProfileMismatch
        case .providerDeprecated: .providerDeprecated
        case .pluginQuarantined: .pluginQuarantined
        case .vendorRefused: .vendorRefused
        case .timestampTooOld: .timestampTooOld
        case .secretUndecryptable: .secretUndecryptable
        case .serialMismatch: .serialMismatch
        case .splitNotAllowed: .splitNotAllowed
        case .offlineNotAllowed: .offlineNotAllowed
        case .malformedCSR: .malformedCSR
        case .possessionNotProven: .possessionNotProven
        case .csrKeyMismatch: .csrKeyMismatch
        case .csrNotBound: .csrNotBound
        case .assuranceTooLow: .assuranceTooLow
        case .categoryMissing: .categoryMissing
        case .categoryNotAllowed: .categoryNotAllowed
        case .bundleVersionNotAllowed: .bundleVersionNotAllowed
        case .receiptNotVerified: .receiptNotVerified
        case .riskMetricTooHigh: .riskMetricTooHigh
        case .deviceBits: .deviceBits
        case .securityLevelTooLow: .securityLevelTooLow
        case .bootKey: .bootKey
        case .bootKeyDenied: .bootKeyDenied
        case .appVersion: .appVersion
        case .osVersion: .osVersion
        case .patchLevelTooOld: .patchLevelTooOld
        case .patchLevelInFuture: .patchLevelInFuture
        case .keyProperties: .keyProperties
        case .createdOutOfWindow: .createdOutOfWindow
        case .attestedIDMismatch: .attestedIDMismatch
        case .remoteProvisioningRequired: .remoteProvisioningRequired
        case .provisioningCount: .provisioningCount
        case .attestationKeyOverused: .attestationKeyOverused
        case .sdkVersionUnevaluated: .sdkVersionUnevaluated
        case .appNotLicensed: .appNotLicensed
        case .licenseUnevaluated: .licenseUnevaluated
        case .playProtect: .playProtect
        case .appAccessRisk: .appAccessRisk
        case .deviceActivity: .deviceActivity
        case .deviceRecalled: .deviceRecalled
        case .accountActivity: .accountActivity
        case .evidenceMissing: .evidenceMissing
        case .confidenceTooLow: .confidenceTooLow
        case .metadataFlagsViolated: .metadataFlagsViolated
        case .unknownDevice: .unknownDevice
        case .deviceBlocked: .deviceBlocked
        case .deviceFlagged: .deviceFlagged
        case .deviceMismatch: .deviceMismatch
        case .keyOwnerMismatch: .keyOwnerMismatch
        case .keyAlreadyRegistered: .keyAlreadyRegistered
        case .tooManyDevices: .tooManyDevices
        case .replacementRefused: .replacementRefused
        case .importedNotAccepted: .importedNotAccepted
        case .simulatedNotAccepted: .simulatedNotAccepted
        case .unknownCertificate: .unknownCertificate
        case .keyAlreadyCertified: .keyAlreadyCertified
        case .certificateSerialTaken: .certificateSerialTaken
        case .tooManySubmissions: .tooManySubmissions
        case .notEnrolled: .notEnrolled
        case .alreadyProvisioned: .alreadyProvisioned
        }
    }
}
