/// Challenges, idempotency keys, and what the device had to sign.
extension ReasonGuidance {
    static let challengeInvalid = ReasonGuidance(
        cause: """
            The caller names another app or context than when it asked for the challenge, or the bytes were changed, for \
            example by a wrong Base64 decoding. A challenge of another daemon, or from before `assayd forget-challenges`, \
            fails too.
            """,
        remedy: """
            The caller gives the same app and context with the challenge's request and with the evidence, and passes the 54 \
            bytes on unchanged. The app then signs over a new challenge.
            """)

    static let challengeWrongPurpose = ReasonGuidance(
        cause: """
            The caller asks for a challenge of one purpose and uses it for another, such as an ASSERT challenge for an \
            attestation.
            """,
        remedy: """
            The caller asks for the purpose of the evidence: REGISTER for attestations, ASSERT for uploads, PROVISION and \
            RENEW for certificates. If it does, a device tries evidence of one act for another: treat that as tampering.
            """)

    static let challengeExpired = ReasonGuidance(
        cause: """
            More time than `challenge.ttl` passes between challenge and upload: the app asks long before it signs, waits for \
            its user or the network, or keeps challenges. A step of the daemon's clock has the same effect.
            """,
        remedy: """
            The app asks for the challenge right before it signs. For slow uploads raise `challenge.ttl`, at most to an hour. \
            `assay status` shows steps of the clock.
            """)

    static let challengeReused = ReasonGuidance(
        cause: """
            The caller repeats an accepted request without its idempotency key, or the app signs twice over one challenge. \
            Tokens and hashes that count once were sent again.
            """,
        remedy: """
            The caller repeats under the idempotency key of the first request, and the app asks for a challenge for each \
            upload. If both do, treat it as a replay of captured evidence.
            """)

    static let challengeAttemptsExceeded = ReasonGuidance(
        cause: """
            App or caller go on sending refused evidence with one challenge: from the sixth attempt on each is refused. For \
            tokens that a vendor decodes, a second token with the challenge is enough.
            """,
        remedy: """
            The app asks for a new challenge after each rejection. Many cases of one account are a search for evidence that \
            passes: treat them as an attack.
            """)

    static let idempotencyKeyReused = ReasonGuidance(
        cause: """
            The caller derives the idempotency key from too little, such as the user alone, so that two requests share it; or \
            the device signed again for the repetition, which makes it another request.
            """,
        remedy: """
            The caller derives the key from the request's own record, such as user and upload id, and repeats the bytes that \
            it sent first. A new signature gets a new key.
            """)

    static let clientDataMismatch = ReasonGuidance(
        cause: """
            The app writes the challenge into its client data at another place or in another encoding than `binding.embedded` \
            states, or writes an earlier challenge.
            """,
        remedy: """
            Compare the app's client data with `binding.embedded.json_member` or `binding.embedded.offset`, and with \
            `binding.embedded.encoding`. The app writes the challenge of this very request.
            """)

    static let payloadRequired = ReasonGuidance(
        cause: """
            The app's configuration says `binding.payload: required`, and the caller sends neither the payload nor its \
            SHA-256. Registrations need one too.
            """,
        remedy: """
            The caller sends the bytes that it stores, or for a registration something that it knows, such as the account's \
            name. The app signs over the same bytes.
            """)

    static let bindingNotAllowed = ReasonGuidance(
        cause: """
            The caller sends client data or a hash of its own, and the app's configuration or the purpose rules that out; or \
            it sends a challenge with evidence that takes none (a certificate bundle, a plugin's own tokens), or other evidence \
            without one.
            """,
        remedy: """
            The caller binds by Assay's client data. Its own form needs `binding.embedded` or `binding.caller_owned`, evidence \
            without a counter also `binding.caller_owned.spend_evidence_for`. Certificates allow Assay's client data only.
            """)

    static let payloadNotBound = ReasonGuidance(
        cause: """
            The request has evidence that is a part of the payload (a plugin's format with freshness by payload, such as a depth map), \
            and no other evidence whose signature covers a payload that Assay knows: it stands alone, beside a vendor's token or a \
            statement that names no payload, or the binding has none.
            """,
        remedy: """
            The caller sends it beside the assertion or attestation of the same request, and binds by Assay's client data with the \
            payload or its SHA-256; or beside an offline signature over the payload. Client data and hashes of the caller's own name \
            no payload.
            """)
}
