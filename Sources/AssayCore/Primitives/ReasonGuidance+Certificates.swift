/// Certificate bundles of cameras, and requests for certificates.
extension ReasonGuidance {
    static let timestampTooOld = ReasonGuidance(
        cause: """
            The camera was without a network for longer than `certificate_bundle.max_age`, or a phone for longer than \
            `android.offline.max_age`; or its clock is behind, for example after its battery was empty.
            """,
        remedy:
            "Set the device's clock. If uploads may wait longer, raise `certificate_bundle.max_age` or `android.offline.max_age`."
    )

    static let secretUndecryptable = ReasonGuidance(
        cause: """
            `certificate_bundle.extension_arc` is not the `provisioning.fleet.fleet_arc` of the certificate, the app has no \
            fleet, or another ledger provisioned the device. A CA of others puts in no secret.
            """,
        remedy: """
            Configure the fleet and arc under which the device was provisioned; `assayd check-config` reports arcs that \
            differ. A certificate that should have a secret and has none is not the fleet's: treat it as tampering.
            """)

    static let serialMismatch = ReasonGuidance(
        cause: """
            The certificate of another CA carries the secret of one device and the serial number of another: the CA erred, or \
            the secret was copied out of a device.
            """,
        remedy: """
            Compare both devices with the CA's records. Until that is explained block the device whose secret it is (`assay \
            device block`).
            """)

    static let splitNotAllowed = ReasonGuidance(
        cause: """
            The caller sends the digest of what was signed in place of the bundle, and `certificate_bundle.split: deny` is \
            set.
            """,
        remedy: """
            The caller sends the whole bundle as the camera made it. With `certificate_bundle.split: allow` digests are \
            accepted, and the time of the image is not judged.
            """)

    static let offlineNotAllowed = ReasonGuidance(
        cause: "The app on the phone signs captures without a network, and the configuration has no `android.offline`.",
        remedy: """
            To take such captures, say how old they may be: `android: {offline: {max_age: 7d}}`. When they were made is then the \
            word of the device's clock. Otherwise the app asks for a challenge and signs when it is online.
            """)

    static let malformedCSR = ReasonGuidance(
        cause: "The device's software sends PEM text, something else than a PKCS #10 request, or bytes behind it.",
        remedy: "The device sends one PKCS #10 request in DER; `openssl req -inform DER -noout -verify` reads it.")

    static let possessionNotProven = ReasonGuidance(
        cause: """
            The CSR is not signed by its own key, or there is none although the platform does not attest the key. A fleet \
            needs a CSR unless `provisioning.fleet.generate_keys` is set.
            """,
        remedy: """
            The device signs the CSR with the key that is to be certified. Only for devices that cannot make keys, \
            `provisioning.fleet.generate_keys` lets Assay make them.
            """)

    static let csrKeyMismatch = ReasonGuidance(
        cause: "The app attests one key and makes the CSR with another, for example because it made its key again in between.",
        remedy: """
            The app makes one key over a PROVISION challenge, and sends its attestation and its CSR. If it does, the CSR was \
            replaced on the way: treat it as tampering.
            """)

    static let csrNotBound = ReasonGuidance(
        cause: "The device signs over another payload than the CSR: over its PEM text, an earlier CSR, or none.",
        remedy: """
            The payload of the client data is the DER of the CSR that is sent; the device signs again. If it does so already, \
            the CSR was replaced on the way: treat it as tampering.
            """)

    static let assuranceTooLow = ReasonGuidance(
        cause: """
            The evidence is weaker than `provisioning.min_assurance`, or the platform does not attest the key (App Attest, \
            renewals) and `provisioning.vouched` is below it. A plugin that gives no assurance is refused too.
            """,
        remedy: """
            The device attests a stronger key, such as one in StrongBox. For keys that are vouched for, set \
            `provisioning.vouched` and `provisioning.min_assurance` so that they meet.
            """)
}
