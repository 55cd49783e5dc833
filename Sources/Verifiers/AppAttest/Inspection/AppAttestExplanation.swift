import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto

/// Explains App Attest's objects to a person. It uses the verifiers' readers, so that it fails on the same input.
package enum AppAttestExplanation {
    package static func attestation(_ bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("App Attest attestation", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let object = try AttestationObject(parsing: bytes)
            explanation.add("fmt", .text(String(decoding: object.format, as: UTF8.self)), "must be apple-appattest")
            if object.hasUnsignedCDHash { explanation.add("cdHash", .text("present"), "nothing signs it; never trusted") }
            for (index, certificate) in object.certificates.enumerated() {
                let title = index == 0 ? "x5c[0]: the certificate of the attested key" : "x5c[\(index)]: its issuer"
                explanation.add(Certificate.explain(certificate, title: title, known: knownExtensions))
            }
            explanation.add(authenticatorData(attestation: object.authenticatorData))
            explanation.add(receipt(object.receipt))
        }
        return explanation
    }

    package static func assertion(_ bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("App Attest assertion", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let object = try AssertionObject(parsing: bytes)
            if object.hasUnsignedCDHash { explanation.add("cdHash", .text("present"), "nothing signs it; never trusted") }
            explanation.add(authenticatorData(assertion: object.authenticatorData))
            var signature = Explanation("signature", of: object.signature)
            signature.read { (signature) throws(Rejection) in
                let read = try ECDSASignature(der: object.signature, width: 32)
                signature.add("r", read.raw.prefix(32))
                signature.add("s", read.raw.suffix(32))
            }
            explanation.add(signature)
        }
        return explanation
    }

    package static func receipt(_ bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("App Attest receipt", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let message = try SignedData(parsing: bytes)
            let receipt = try Receipt(payload: message.content)
            for claim in receipt.claims.all {
                explanation.add(claim.name, claim.value, receiptMeanings[claim.name] ?? "")
            }
            for certificate in message.certificates {
                let title = message.signer.names(certificate) ? "the signer's certificate" : "a certificate"
                explanation.add(Certificate.explain(certificate.der, title: title, known: knownExtensions))
            }
        }
        return explanation
    }

    private static let receiptMeanings = [
        "type": "ATTEST comes with the attestation, RECEIPT from Apple's risk service",
        "public_key_x963": "must be the attested key",
        "client_hash": "the clientDataHash of the attestation",
        "risk_metric": "about how many keys the app attested on this device in 30 days",
        "not_before": "a newer receipt is to be had from then on",
        "expiration_time": "a newer receipt is to be had until then",
    ]

    /// The key id of an attestation: SHA-256 of the certified point. `nil` if no certificate can be read.
    package static func keyID(ofAttestation bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let leaf = try? AttestationObject(parsing: bytes).certificates.first,
            let certificate = try? Certificate(der: leaf)
        else { return nil }
        return Array(certificate.publicKey.keyBytes.withUnsafeBytes { SHA256.hash(bytes: $0) })
    }

    /// The App ID's hash in an attestation or an assertion, not authenticated.
    package static func rpIDHash(of bytes: ArraySlice<UInt8>) -> [UInt8]? {
        if let object = try? AttestationObject(parsing: bytes) { return Array(object.authenticatorData.prefix(32)) }
        if let object = try? AssertionObject(parsing: bytes) { return Array(object.authenticatorData.prefix(32)) }
        return nil
    }

    /// SHA-256 of the App ID in a receipt, not authenticated.
    package static func rpIDHash(ofReceipt bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let message = try? SignedData(parsing: bytes), let receipt = try? Receipt(payload: message.content) else {
            return nil
        }
        return Array(SHA256.hash(data: Array(receipt.appID.utf8)))
    }

    // MARK: Authenticator data

    /// Reads the bytes in both forms of authenticator data and discards the result.
    package static func readAuthenticatorData(_ bytes: ArraySlice<UInt8>) {
        _ = authenticatorData(attestation: bytes)
        _ = authenticatorData(assertion: bytes)
    }

    private static func authenticatorData(attestation bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("authenticator data", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let (data, credential) = try AuthenticatorData.attestation(bytes)
            addHead(data, to: &explanation, "0 for a new key")
            let environment = AppAttestEnvironment(aaguid: credential.aaguid)?.rawValue
            explanation.add("aaguid", credential.aaguid, environment.map { "the \($0) environment" } ?? "of no environment")
            explanation.add("credential_id", credential.id, "must be the key id")
            explanation.read { (explanation) throws(Rejection) in
                let key = try COSEKey(credential.key)
                explanation.add("credential_key_x", key.x, "must be the certified key's")
                explanation.add("credential_key_y", key.y)
            }
            try addExtensions(of: data, to: &explanation)
        }
        return explanation
    }

    private static func authenticatorData(assertion bytes: ArraySlice<UInt8>) -> Explanation {
        var explanation = Explanation("authenticator data", of: bytes)
        explanation.read { (explanation) throws(Rejection) in
            let data = try AuthenticatorData(assertion: bytes)
            addHead(data, to: &explanation, "must be higher than the last one")
            try addExtensions(of: data, to: &explanation)
        }
        return explanation
    }

    private static func addHead(_ data: AuthenticatorData, to explanation: inout Explanation, _ counter: String) {
        explanation.add("rp_id_hash", data.rpIDHash, "SHA-256 of the App ID: team and bundle identifier")
        let names = [
            data.flags.contains(.attestedCredential) ? "AT, a credential is attested" : nil,
            data.flags.contains(.extensionData) ? "ED, extensions follow" : nil,
        ]
        explanation.add(
            "flags", .integer(Int64(data.flags.rawValue)), names.compactMap { $0 }.joined(separator: "; "))
        explanation.add("sign_count", .integer(Int64(data.signCount)), counter)
    }

    private static func addExtensions(of data: AuthenticatorData, to explanation: inout Explanation) throws(Rejection) {
        let extensions = try data.extensions()
        guard extensions.isPresent else { return }
        explanation.add(
            "extension_keys", .texts(extensions.keys),
            extensions.isAttributed ? "from OS 27 on" : "ED is clear: the app may have written them itself")
        let category = extensions.validationCategory
        explanation.add(
            "validation_category", category.map { .integer(Int64($0)) },
            category.flatMap { categories[$0] } ?? "how the app was signed")
        explanation.add("bundle_version", extensions.bundleVersion.map { .text($0) })
        explanation.add("cd_hash", extensions.cdHash.map { .bytes(Array($0)) }, "undocumented; code directory hash")
    }

    /// The kernel's code-signing validation categories.
    private static let categories: [UInt32: String] = [
        2: "TestFlight", 3: "development", 4: "App Store", 5: "enterprise or ad hoc", 6: "Developer ID",
    ]

    private static let knownExtensions: [OID: KnownExtension] = [
        ReceiptVerifier.signerMarker: KnownExtension("receipt_signer") { _ in "may sign receipts" },
        NonceExtension.oid: KnownExtension("app_attest_nonce") { value in
            guard let nonce = try? NonceExtension(value).nonce else { return "of another shape" }
            return Hex.encode(nonce) + ", must be SHA-256(authenticator data ‖ clientDataHash)"
        },
        PlatformInfoExtension.oid: KnownExtension("platform_info") { value in
            let info = PlatformInfoExtension(value)
            return "system \(info.osVersion ?? "unknown"), build \(info.osBuild ?? "unknown")"
        },
        AccessControlExtension.oid: KnownExtension("access_control") { value in
            value.elementsEqual(AccessControlExtension.macOSValue)
                ? "that of a Mac with full security" : "\(value.count) bytes, not that of a Mac with full security"
        },
    ]
}
