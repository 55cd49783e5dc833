import AssayCertificates
package import AssayCore
import AssayEncoding

/// Explains a chain of Android Keystore to a person. It uses the verifier's readers, so that it fails on the same input.
package enum KeyAttestationExplanation {
    /// Whether certificates, leaf first, look like such a chain.
    package static func isChain(_ certificates: [[UInt8]]) -> Bool {
        certificates.contains { der in
            let certificate = try? Certificate(der: der[...], leniencies: leniencies)
            return certificate?.value(of: KeyDescription.oid) != nil
        }
    }

    /// - Parameter bytes: the file from which the certificates were read.
    package static func chain(_ certificates: [[UInt8]], of bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("Android key attestation", of: bytes)
        explanation.add("certificates", .integer(Int64(certificates.count)), "the attested key's first")
        for (index, der) in certificates.enumerated() {
            let title = index == 0 ? "certificate 0: of the attested key" : "certificate \(index): its issuer"
            explanation.add(Certificate.explain(der[...], title: title, known: knownExtensions, leniencies: leniencies))
        }
        for (index, der) in certificates.enumerated() {
            guard let certificate = try? Certificate(der: der[...], leniencies: leniencies),
                let value = certificate.value(of: KeyDescription.oid)
            else { continue }
            explanation.add(description(value, title: "key description of certificate \(index)"))
        }
        return explanation
    }

    /// The value of extension 1.3.6.1.4.1.11129.2.1.17.
    package static func description(_ bytes: ArraySlice<UInt8>, title: String = "key description") -> Explanation {
        var explanation = Explanation(title, of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let description = try KeyDescription(explaining: bytes)
            let version = Int64(description.attestationVersion)
            explanation.add("attestation_version", .integer(version), versions[version] ?? "")
            explanation.add(
                "attestation_security_level", .text(description.attestationLevel.name), "where the attestation was made")
            explanation.add("keymint_version", .integer(Int64(description.keyMintVersion)))
            explanation.add("keymint_security_level", .text(description.keyMintLevel.name), "where the key lives")
            explanation.add("challenge", description.challenge, "must be the client data")
            explanation.add(
                "unique_id", description.uniqueID, description.uniqueID.isEmpty ? "none, as for all but system apps" : "")
            for quirk in EncodingQuirk.allCases where description.quirks.contains(quirk) {
                explanation.add(quirk.rawValue, .text("yes"), quirk.meaning)
            }
            explanation.add(list(description.softwareEnforced, "software enforced: what Android says", bytes))
            explanation.add(list(description.hardwareEnforced, "hardware enforced: what the TEE or StrongBox says", bytes))
            if let malformed = description.malformed { throw malformed }
        }
        return explanation
    }

    private static func list(
        _ list: AuthorizationList, _ title: String, _ bytes: ArraySlice<UInt8>
    ) -> Explanation {
        var explanation = Explanation(title, of: bytes)
        var claims = Claims()
        list.add(to: &claims, .plain)
        for claim in claims.all { explanation.add(claim.name, claim.value, meaning(of: claim, in: list)) }
        return explanation
    }

    private static func meaning(of claim: Claims.Claim, in list: AuthorizationList) -> String {
        switch claim.name {
        case AuthorizationTag.purpose.name:
            names(list.numbers(.purpose)) { KeyPurpose(rawValue: $0)?.name }
        case AuthorizationTag.algorithm.name:
            names(list.number(.algorithm).map { [$0] }) { [1: "RSA", 3: "EC", 4: "ML-DSA"][$0] }
        case AuthorizationTag.ecCurve.name:
            names(list.number(.ecCurve).map { [$0] }) {
                [0: "P-224", 1: "P-256", 2: "P-384", 3: "P-521", 4: "Curve25519"][$0]
            }
        case AuthorizationTag.digest.name, AuthorizationTag.mgfDigest.name:
            names(list.numbers(claim.name == AuthorizationTag.digest.name ? .digest : .mgfDigest)) {
                [0: "none", 1: "MD5", 2: "SHA-1", 3: "SHA-224", 4: "SHA-256", 5: "SHA-384", 6: "SHA-512"][$0]
            }
        case AuthorizationTag.padding.name:
            names(list.numbers(.padding)) {
                [1: "none", 2: "RSA-OAEP", 3: "RSA-PSS", 4: "RSA PKCS1 encryption", 5: "RSA PKCS1 signature", 64: "PKCS7"][$0]
            }
        default: meanings[claim.name] ?? ""
        }
    }

    private static func names(_ numbers: [UInt64]?, _ name: (UInt64) -> String?) -> String {
        (numbers ?? []).map { name($0) ?? "unknown" }.joined(separator: ", ")
    }

    private static let meanings: [String: String] = [  // not text from outside
        AuthorizationTag.noAuthRequired.name: "usable without its user",
        AuthorizationTag.userAuthType.name: "bits: 1 password, 2 biometric; all: any",
        AuthorizationTag.authTimeout.name: "seconds that an authentication lasts",
        AuthorizationTag.allApplications.name: "bound to no app",
        AuthorizationTag.creationDateTime.name: "by the device's clock, which its user sets",
        AuthorizationTag.origin.name: "where the key comes from",
        AuthorizationTag.osVersion.name: "MMmmss; 0: unknown",
        AuthorizationTag.osPatchLevel.name: "YYYYMM",
        AuthorizationTag.vendorPatchLevel.name: "YYYYMMDD",
        AuthorizationTag.bootPatchLevel.name: "YYYYMMDD",
        AuthorizationTag.moduleHash.name: "digest of the system's modules",
        "root_of_trust.verified_boot_key": "digest of the key that verified the system",
        "root_of_trust.device_locked": "whether the bootloader is locked",
        "root_of_trust.verified_boot_state": "VERIFIED is the maker's system, SELF_SIGNED one that its user chose",
        "root_of_trust.verified_boot_hash": "digest of what was verified at boot",
        "attestation_application_id.packages.name": "any of them may have made the key",
        "attestation_application_id.packages.version": "version codes, in the same order",
        "attestation_application_id.signature_digests": "SHA-256 of the certificates that sign them",
        "unknown_tags": "of a later version of the schema",
    ]

    private static let versions: [Int64: String] = [
        1: "Keymaster 2, from Android 7 on", 2: "Keymaster 3, from Android 8 on", 3: "Keymaster 4.0, from Android 9 on",
        4: "Keymaster 4.1, from Android 11 on", 100: "KeyMint 1, from Android 12 on", 200: "KeyMint 2, from Android 13 on",
        300: "KeyMint 3, from Android 14 on", 400: "KeyMint 4, from Android 16 on", 500: "KeyMint 5, from Android 17 on",
    ]

    private static let leniencies = KeyAttestationVerifier.chainProfile.leniencies
        .union(KeyAttestationVerifier.chainProfile.leafLeniencies)

    private static let knownExtensions: [OID: KnownExtension] = [
        KeyDescription.oid: KnownExtension("key_description") { "\($0.count) bytes, told below" },
        RemoteKeyProvisioningInfo.oid: KnownExtension("provisioning_info") { value in
            guard let info = try? RemoteKeyProvisioningInfo(value) else { return "malformed, as of some makers" }
            return info.certificatesIssued.map { "\($0) certificates were issued to the device in about 30 days" }
                ?? "without a count"
        },
    ]
}

/// Describes for people what each check of an Android key attestation compares. The names are those of the findings.
package enum KeyAttestationCheck {
    package static func meaning(of check: String) -> String? { meanings[check] }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the chain against the largest that is read",
        "chain_length": "the number of certificates against those that chains have",
        "certificates": "each certificate against X.509, as far as genuine devices keep to it",
        "chain_names": "each issuer against the subject of the next certificate",
        "chain_constraints": "that no certificate stands twice",
        "chain_algorithms": "signature algorithms and issuers' keys against those that are strong enough",
        "chain_anchor": "the top's issuer, or the registration's anchor, against the trusted anchors",
        "chain_signatures": "each signature against the issuer's key, up to the anchor's",
        "attestation_extension": "that the first certificate carries a key description, and no other",
        "chain_shape": "the number of certificates and the place of the provisioning info",
        "chain_validity": "the time of judgement against the dates that count in this class of chain",
        "revocation": "serial numbers against the list of revoked certificates",
        "denied": "serial numbers and keys against those that the app denies",
        "key_description": "the key description against its schema",
        "provisioning_info": "what Google's servers say of the device",
        "challenge": "the attestation challenge against the client data",
        "key_id": "SHA-256 of the attested key against the key id",
        "tag_order": "the order of the tags",
        "versions": "the version of the attestation against KeyMint's",
        "security_level": "the lower of both levels against what the app demands",
        "level_match": "the level of the attestation against that of the key",
        "chain_level": "the level of the key against the names in the chain",
        "key_type": "the description's algorithm, curve and size against the certified key",
        "key_kind": "the kind of the key against those that the app allows",
        "root_of_trust": "that the hardware tells how the device booted",
        "device_locked": "the bootloader against locked",
        "verified_boot": "the state of verified boot against those that the app allows",
        "boot_key": "the key that verified the system against the app's lists",
        "key_origin": "where the key comes from against what the app allows",
        "key_purpose": "what the key is for against what the app demands and forbids",
        "key_app_bound": "that the key is bound to an app",
        "attested_app": "that the device says which app made the key",
        "package": "the attested packages against the app's",
        "signer": "the attested signers against those of the packages",
        "app_version": "the attested versions against the lowest",
        "os_version": "the version of Android against the lowest",
        "os_patch_level": "the patch level of the system against what the app allows",
        "vendor_patch_level": "the patch level of the vendor image against what the app allows",
        "boot_patch_level": "the patch level of the boot image against what the app allows",
        "key_properties": "what the hardware enforces of the key against what the app demands",
        "attested_ids": "the attested identifiers against the expected ones",
        "remote_provisioning": "the class of the chain against what the app demands",
        "provisioning_count": "how many certificates were issued to the device against the most",
        "creation_time": "the time of creation against the time of judgement",
        "attestation_key": "how many devices the attestation key registered in a day against the most",
        "registration": "the stored claims against those of an attested key",
    ]
}
