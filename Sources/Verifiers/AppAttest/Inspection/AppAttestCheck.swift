import AssayCertificates

/// Describes for people what each check of App Attest compares. The names are those of the findings.
package enum AppAttestCheck {
    package static func meaning(of check: String) -> String? {
        // A receipt's chain has the steps of every chain.
        let step = check.hasPrefix("receipt_chain_") ? String(check.dropFirst("receipt_".count)) : check
        return meanings[check] ?? meanings[step] ?? ChainCheck.meaning(of: step)
    }

    private static let meanings: [String: String] = [  // not text from outside
        "size": "the object against the largest that is read",
        "key_id_form": "the key id against the 32 bytes of a SHA-256",
        "cbor": "the bytes against strict CBOR and the members that must be there",
        "format": "fmt against apple-appattest",
        "x5c": "the number of certificates against those that App Attest sends",
        "receipt": "that there is a receipt",
        "receipt_size": "the receipt against the largest that is read",
        "receipt_cms": "the bytes against a CMS message with one signer",
        "receipt_payload": "what is signed against the fields that must be there",
        "receipt_certificates": "the certificates against those of the signer's chain",
        "receipt_signer": "the signer's certificate against the mark of one for receipts",
        "receipt_signature": "the signature against the signer's key",
        "receipt_chain_validity_at_creation": "the time of creation against each certificate's validity",
        "receipt_app_id": "the App ID against the app's",
        "receipt_public_key": "the key against the attested one",
        "receipt_type": "ATTEST or RECEIPT against the one that belongs here",
        "receipt_environment": "the environment against that of the attestation",
        "receipt_client_hash": "the hash against that of the client data",
        "receipt_time": "the time of creation against the time of judgement",
        "receipt_expiration": "the time of judgement against the expiration",
        "receipt_age": "the age against what the policy allows",
        "risk_metric": "what Apple says of the device's risk against what the policy allows",
        "chain_algorithms": "signature algorithms and keys against those that App Attest uses",
        "nonce": "SHA-256(authenticator data ‖ clientDataHash) against the nonce in the certificate",
        "key_id": "SHA-256 of the certified key against the key id",
        "auth_data": "the authenticator data against their layout",
        "app_id": "the hash of the App ID against the configured App IDs",
        "flags": "the AT flag against set",
        "counter": "the counter against 0, or against the last accepted one",
        "environment": "production or development against what the app allows",
        "credential_id": "the credential id against the key id",
        "credential_key": "the credential key against the certified key",
        "extensions": "what follows the fixed part against the extensions map",
        "access_control": "a Mac's access control list against that of full security",
        "validation_category": "how the app was signed against what the policy allows",
        "bundle_version": "the app's version against what the policy allows",
        "device": "the key id against the registered devices",
        "signature_form": "the signature against ECDSA-Sig-Value in DER",
        "signature": "the signature against the registered key, over SHA-256(authenticator data ‖ clientDataHash)",
    ]
}
