package assay.device

/** What is to be done next: what failures of Keystore and of the network, and the answers of the backend, come down to. */
enum class Action {
    /** Nothing more. */
    DONE,

    /** The same request again, after a pause. Nothing is wrong with the evidence. */
    TRY_LATER,

    /** A new challenge, signed with the same key. */
    NEW_CHALLENGE,

    /** A new key, which is attested and registered. At most once a day for one user, since attestation keys are limited. */
    NEW_KEY,

    /** The app's own session has ended: the user signs in, then the same call again. */
    SIGN_IN,

    /** The app's own way for devices that cannot attest, if it has one. */
    GO_WITHOUT_ATTESTATION,

    /** Only an operator of the service can help: the user is told whom to ask. */
    CONTACT_SUPPORT,

    /** Another try cannot help. */
    GIVE_UP,
}

/** Why a call did not end in [Outcome.Done], and what is left to do about it when the library has done its part. */
enum class Problem(val action: Action) {
    /** No connection to the app's backend, or none in time. */
    OFFLINE(Action.TRY_LATER),

    /** The backend's certificate is not trusted: a captive portal, a proxy that reads along, or a clock that is wrong. */
    TLS_FAILED(Action.TRY_LATER),

    /** The backend says "later". */
    BACKEND_BUSY(Action.TRY_LATER),

    /** The answer is none of the backend's: a page of a captive portal, JSON without a known word, a challenge of another length. */
    ANSWER_UNREADABLE(Action.TRY_LATER),

    /** The backend answered 401. */
    SIGN_IN_NEEDED(Action.SIGN_IN),

    /** The backend refuses for good (`never`, `give_up`). */
    REFUSED(Action.GIVE_UP),

    /** The backend refuses until an operator changes something (`contact_operator`). */
    OPERATOR_NEEDED(Action.CONTACT_SUPPORT),

    /** Several challenges in a row were refused: the app and the backend do not agree on what is signed, or a clock jumps. */
    CHALLENGES_REFUSED(Action.TRY_LATER),

    /** Keystore needs the user: `UserNotAuthenticatedException`, `ERROR_USER_AUTHENTICATION_REQUIRED`, a locked device. */
    UNLOCK_NEEDED(Action.TRY_LATER),

    /** `BackendBusyException`, `ERROR_KEY_OPERATION_EXPIRED`: too many operations of Keystore at once, also after several tries. */
    KEYSTORE_BUSY(Action.TRY_LATER),

    /** Keystore failed in a way that may pass. */
    KEYSTORE_FAILED(Action.TRY_LATER),

    /** The device has no attestation key and cannot fetch one without a network (`RETRY_WHEN_CONNECTIVITY_AVAILABLE`). */
    PROVISIONING_OFFLINE(Action.TRY_LATER),

    /** The device has no attestation key now (`ERROR_ATTESTATION_KEYS_UNAVAILABLE`, transient). */
    PROVISIONING_LATER(Action.TRY_LATER),

    /** Google gives attestation keys to this device only after a system update and a restart (`RETRY_AFTER_NEXT_REBOOT`). */
    SYSTEM_UPDATE_NEEDED(Action.TRY_LATER),

    /** As many keys were made as a day allows. */
    TOO_MANY_KEYS(Action.TRY_LATER),

    /** The library's records cannot be written: the storage is full. */
    STORAGE_FAILED(Action.TRY_LATER),

    /** This device cannot attest a key: no attestation keys, a keystore that fails, or a chain without an attestation. */
    CANNOT_ATTEST(Action.GO_WITHOUT_ATTESTATION),

    /** [StrongBox.REQUIRE], and the device has none that can attest. */
    STRONGBOX_MISSING(Action.GO_WITHOUT_ATTESTATION),

    /** The payload cannot be read, or changed while it was sent. */
    PAYLOAD_UNREADABLE(Action.GIVE_UP),

    /** Play Integrity has no token now. */
    TOKEN_LATER(Action.TRY_LATER),

    /** Play Integrity needs the user: Play Store or Play services are missing, switched off or too old. */
    TOKEN_NEEDS_USER(Action.GIVE_UP),

    /** Play Integrity cannot give this app a token: a mistake of the app's configuration, or a system without the API. */
    TOKEN_IMPOSSIBLE(Action.GO_WITHOUT_ATTESTATION),
}
