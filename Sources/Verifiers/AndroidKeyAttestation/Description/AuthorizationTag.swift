/// The authorizations of a key description, by their tags (source.android.com, "Key and ID attestation", schema). The raw value
/// is the tag number.
package enum AuthorizationTag: UInt32, CaseIterable, Hashable, Sendable {
    case purpose = 1
    case algorithm = 2
    case keySize = 3
    case blockMode = 4
    case digest = 5
    case padding = 6
    case callerNonce = 7
    case minMacLength = 8
    case ecCurve = 10
    case mlDSAVariant = 11
    case rsaPublicExponent = 200
    case mgfDigest = 203
    case rollbackResistance = 303
    case earlyBootOnly = 305
    case activeDateTime = 400
    case originationExpireDateTime = 401
    case usageExpireDateTime = 402
    case usageCountLimit = 405
    case userSecureID = 502
    case noAuthRequired = 503
    case userAuthType = 504
    case authTimeout = 505
    case allowWhileOnBody = 506
    case trustedUserPresenceRequired = 507
    case trustedConfirmationRequired = 508
    case unlockedDeviceRequired = 509
    case allApplications = 600
    case applicationID = 601
    case creationDateTime = 701
    case origin = 702
    /// The name of `rollbackResistance` before version 3.
    case rollbackResistant = 703
    case rootOfTrust = 704
    case osVersion = 705
    case osPatchLevel = 706
    case attestationApplicationID = 709
    case brand = 710
    case device = 711
    case product = 712
    case serial = 713
    case imei = 714
    case meid = 715
    case manufacturer = 716
    case model = 717
    case vendorPatchLevel = 718
    case bootPatchLevel = 719
    case deviceUniqueAttestation = 720
    case identityCredentialKey = 721
    case secondIMEI = 723
    case moduleHash = 724

    /// The encoding of the value. Numbers are INTEGER, flags NULL, the rest OCTET STRING or a SEQUENCE of its own.
    enum Shape { case number, numbers, flag, time, bytes, text, origin, rootOfTrust, application }

    var shape: Shape {
        switch self {
        case .purpose, .blockMode, .digest, .padding, .mgfDigest: .numbers
        case .algorithm, .keySize, .minMacLength, .ecCurve, .mlDSAVariant, .rsaPublicExponent, .usageCountLimit,
            .userSecureID, .userAuthType, .authTimeout, .osVersion, .osPatchLevel, .vendorPatchLevel, .bootPatchLevel:
            .number
        case .activeDateTime, .originationExpireDateTime, .usageExpireDateTime, .creationDateTime: .time
        case .callerNonce, .rollbackResistance, .earlyBootOnly, .noAuthRequired, .allowWhileOnBody,
            .trustedUserPresenceRequired, .trustedConfirmationRequired, .unlockedDeviceRequired, .allApplications,
            .rollbackResistant, .deviceUniqueAttestation, .identityCredentialKey:
            .flag
        case .applicationID, .moduleHash: .bytes
        case .brand, .device, .product, .serial, .imei, .meid, .manufacturer, .model, .secondIMEI: .text
        case .origin: .origin
        case .rootOfTrust: .rootOfTrust
        case .attestationApplicationID: .application
        }
    }

    /// The name of the claim.
    package var name: String {
        switch self {
        case .purpose: "purposes"
        case .algorithm: "algorithm"
        case .keySize: "key_size"
        case .blockMode: "block_modes"
        case .digest: "digests"
        case .padding: "paddings"
        case .callerNonce: "caller_nonce"
        case .minMacLength: "min_mac_length"
        case .ecCurve: "ec_curve"
        case .mlDSAVariant: "mldsa_variant"
        case .rsaPublicExponent: "rsa_public_exponent"
        case .mgfDigest: "mgf_digests"
        case .rollbackResistance: "rollback_resistance"
        case .earlyBootOnly: "early_boot_only"
        case .activeDateTime: "active_datetime"
        case .originationExpireDateTime: "origination_expire_datetime"
        case .usageExpireDateTime: "usage_expire_datetime"
        case .usageCountLimit: "usage_count_limit"
        case .userSecureID: "user_secure_id"
        case .noAuthRequired: "no_auth_required"
        case .userAuthType: "user_auth_type"
        case .authTimeout: "auth_timeout"
        case .allowWhileOnBody: "allow_while_on_body"
        case .trustedUserPresenceRequired: "trusted_user_presence_required"
        case .trustedConfirmationRequired: "trusted_confirmation_required"
        case .unlockedDeviceRequired: "unlocked_device_required"
        case .allApplications: "all_applications"
        case .applicationID: "application_id"
        case .creationDateTime: "creation_datetime"
        case .origin: "origin"
        case .rollbackResistant: "rollback_resistant"
        case .rootOfTrust: "root_of_trust"
        case .osVersion: "os_version"
        case .osPatchLevel: "os_patch_level"
        case .attestationApplicationID: "attestation_application_id"
        case .brand: "brand"
        case .device: "device"
        case .product: "product"
        case .serial: "serial"
        case .imei: "imei"
        case .meid: "meid"
        case .manufacturer: "manufacturer"
        case .model: "model"
        case .vendorPatchLevel: "vendor_patch_level"
        case .bootPatchLevel: "boot_patch_level"
        case .deviceUniqueAttestation: "device_unique_attestation"
        case .identityCredentialKey: "identity_credential_key"
        case .secondIMEI: "second_imei"
        case .moduleHash: "module_hash"
        }
    }
}
