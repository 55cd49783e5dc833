/// The form of evidence, and chains of certificates.
extension ReasonGuidance {
    static let evidenceTooLarge = ReasonGuidance(
        cause: """
            The client sends something else as evidence, such as a file, JSON around it, or evidence that is encoded twice. \
            Genuine evidence is far below the limit of its format.
            """,
        remedy: """
            The client sends the value of the platform's call alone, decoded once; `assay inspect` shows what it is. Frequent \
            cases from unknown clients are abuse.
            """)

    static let formatNotAccepted = ReasonGuidance(
        cause: """
            The app's configuration has no section for the platform, or the evidence does not fit the purpose, such as an \
            attestation for an upload. A certificate is asked for on the judgement of a plugin that is not allowed to cause \
            one.
            """,
        remedy: """
            The caller sends evidence that fits the purpose; `assay status` lists the app's formats. To accept more, an \
            operator adds the platform's section, or the plugin to `provisioning.plugins`.
            """)

    static let wrongFormat = ReasonGuidance(
        cause: """
            The app sends an attestation of another interface, such as that of a passkey (WebAuthn), or a camera sends a \
            bundle of the older format with an encrypted token.
            """,
        remedy: """
            The app attests with `DCAppAttestService.attestKey`; the camera's software is updated to bundles with a \
            certificate.
            """)

    static let malformed = ReasonGuidance(
        cause: """
            The client builds the message by hand and misses the form: a hash that is not 64 hexadecimal digits, a time that \
            is not a whole number of seconds, or Base64 without padding.
            """,
        remedy: """
            Correct the client by the page of the format; the detail names the member. `assay inspect` shows what the message \
            contains.
            """)

    static let signatureMalformed = ReasonGuidance(
        cause: """
            The camera sends a hash in place of the signature, or its library writes another encoding than 64 bytes (r, s) or \
            strict DER.
            """,
        remedy: """
            Correct the camera's software: it signs the four lines by ECDSA on P-256 with SHA-256, and sends r and s in 32 \
            bytes each, or strict DER.
            """)

    static let malformedCBOR = ReasonGuidance(
        cause: """
            The transport changes the bytes, for example by reading binary data as text, by a wrong Base64 decoding or by \
            cutting; or attestation and assertion are swapped.
            """,
        remedy: """
            Compare length and SHA-256 of the evidence on the phone and at the caller, and correct what changes it. `assay \
            inspect` shows where reading ends.
            """)

    static let malformedCertificate = ReasonGuidance(
        cause: """
            A certificate was cut or changed on the way, or another file is sent in its place. Known deviations of genuine \
            devices are accepted.
            """,
        remedy: """
            The client sends each certificate as the platform returns it, in DER. If the bytes left the device like that, the \
            maker's form is unknown here: report it with the output of `assay inspect`.
            """)

    static let badChain = ReasonGuidance(
        cause: """
            The app sends a part of the chain, or certificates that do not belong to it. An Android chain of one certificate \
            is that of a key made without `setAttestationChallenge`, or of a device that cannot attest.
            """,
        remedy: """
            The app sets the attestation challenge and sends all that `getCertificateChain` returns; an iPhone's object stays \
            as it is. Other deviations are tampering.
            """)

    static let nameChaining = ReasonGuidance(
        cause: "The certificates are in another order, one is missing, or two chains are mixed.",
        remedy: """
            The app sends the chain as the platform orders it: the device's certificate first, each followed by that of its \
            issuer. If it does, the chain is forged.
            """)

    static let caUsedAsLeaf = ReasonGuidance(
        cause: """
            The chain begins with the certificate of a CA. No platform issues that for a device's key, so the chain was cut or \
            put together by others.
            """,
        remedy: """
            The app sends the object unchanged, with the device's certificate first. If it does, treat the evidence as forged.
            """)

    static let caAsLeaf = ReasonGuidance(
        cause: """
            The camera sends the certificate of its CA in place of its own, for example because the files were swapped at the \
            factory.
            """,
        remedy: """
            Correct the camera's software, or provision the device again after `assay enrol readmit`. A CA's key must not be \
            in a device: if it is, replace the CA.
            """)

    static let wrongCurve = ReasonGuidance(
        cause: "The device or its provisioning service made a key of another kind, such as P-384 or RSA.",
        remedy: """
            The device makes a P-256 key and is provisioned with it. If its serial number was provisioned before, `assay enrol \
            readmit` comes first.
            """)

    static let keyUsage = ReasonGuidance(
        cause: """
            The CA's profile is not one for devices: the device's certificate lacks digitalSignature in its key usage, or a CA \
            may not sign certificates.
            """,
        remedy: """
            The owner of the CA in `certificate_bundle.authorities` issues certificates with the right key usage. In a \
            platform's chain treat it as tampering.
            """)

    static let unsupportedAlgorithm = ReasonGuidance(
        cause: """
            The signature's algorithm does not fit the registered key, such as RSA for a P-256 key, or it is not accepted in \
            this format, such as SHA-1.
            """,
        remedy: """
            The app signs by an algorithm of its key, such as `SHA256withECDSA` for P-256, and the caller names that one. In a \
            platform's chain treat it as tampering.
            """)

    static let unsupportedKey = ReasonGuidance(
        cause: """
            The key is of a kind that is not accepted here: in a CSR neither P-256 nor P-384, RSA below 2048 bits, or a \
            registered key that cannot sign.
            """,
        remedy: """
            The device makes a new key, best P-256. `android.key.kinds` keeps Android devices from registering keys that \
            cannot sign later.
            """)

    static let hostnameMismatch = ReasonGuidance(
        cause: "A certificate of another site signed the response: anyone can get such a certificate for a host of their own.",
        remedy: "Treat the response as forged.")

    static let badSignature = ReasonGuidance(
        cause: """
            The device signed other bytes than are checked here: the payload hashed here is not the one the app hashed, the \
            caller gives another challenge, or the app does not sign the client data (with App Attest: their SHA-256). \
            Otherwise another key signed.
            """,
        remedy: """
            Compare SHA-256 of payload and client data on both sides; the caller hashes the bytes that arrived, not a copy \
            encoded again. `assay inspect` tries a challenge and payload. For Play tokens check `play_integrity.keys`. The \
            rest is tampering.
            """)

    static let untrustedRoot = ReasonGuidance(
        cause: """
            The evidence comes from a simulator, or under a root or CA that the app does not trust, or no longer trusts since \
            the device's registration.
            """,
        remedy: """
            `assay anchors` lists the roots. Tests use an app of their own with `trust.test_roots`. Others are added \
            (`android.extra_roots`, `certificate_bundle.authorities`) only if their owner is trusted with it: an unknown root \
            is a forgery.
            """)

    static let notYetValid = ReasonGuidance(
        cause: """
            The clock of the daemon's machine is behind, or that of the CA is ahead. A camera whose clock was reset states a \
            time before its certificate begins.
            """,
        remedy: """
            Set the clocks of the daemon's machine and of the camera; `assay status` shows faults of the daemon's. The same \
            evidence is good once its certificate has begun.
            """)

    static let expired = ReasonGuidance(
        cause: """
            The app keeps an attestation and sends it days later, a device's certificate was not renewed in time, or the clock \
            of the daemon's machine is ahead. Apple's certificates may last three days, Android's a few weeks.
            """,
        remedy: """
            The app attests right before it sends. Certificates of devices are renewed before they end (`assay provision \
            renew`); later a phone attests a new key, and a device of a fleet is readmitted (`assay enrol readmit`).
            """)
}
