/// Tokens of Play Integrity, of SafetyNet and of DeviceCheck, and the policy over them.
extension ReasonGuidance {
    static let malformedToken = ReasonGuidance(
        cause: """
            The app sends something else than the token, such as an error text, or one that is cut, empty or encoded once \
            more. Under `play_integrity.mode: local` tokens of standard requests cannot be read.
            """,
        remedy: """
            The app sends the text of `token()` unchanged. For tokens of standard requests set `play_integrity.mode: google`.
            """)

    static let badAlgorithm = ReasonGuidance(
        cause: "The token's header names an algorithm that the vendor does not use, as forged tokens do.",
        remedy: "Treat single cases as tampering. If all tokens fail at once, the vendor changed its form: update Assay.")

    static let decryptionFailed = ReasonGuidance(
        cause: """
            `play_integrity.keys` are not the keys of the Play Console: they were replaced there, are another app's, or Google \
            manages the encryption. A changed token looks the same.
            """,
        remedy: """
            Download the response encryption keys of this app, list them first in `play_integrity.keys`, and reload. Single \
            cases among tokens that open are foreign or changed: treat them as tampering.
            """)

    static let requestHashMismatch = ReasonGuidance(
        cause: """
            The app passes another request hash: of an earlier challenge or another payload, in another encoding, or none. Or \
            `play_integrity.kinds` leaves out this kind of request.
            """,
        remedy: """
            `requestHash` is Base64url of SHA-256(client data), over the caller's challenge and payload. If \
            app and caller agree on both, treat the token as a replay.
            """)

    static let staleTimestamp = ReasonGuidance(
        cause: """
            The app keeps the token longer than `play_integrity.max_age` before it sends it, or the clock of the daemon's \
            machine is wrong.
            """,
        remedy: """
            The app fetches a token for each request, right before it sends. `assay status` shows faults of the clock; for \
            slow uploads raise `play_integrity.max_age`.
            """)

    static let testingResponse = ReasonGuidance(
        cause: "The user's account is on the Play Console's list of testers, for whom the tester sets the answers.",
        remedy: """
            An owner of the Play Console removes the account from the testers of Play Integrity. An account that you did not \
            put there shows that others have access to the Console.
            """)

    static let appVerdict = ReasonGuidance(
        cause: """
            The build does not come from Google Play: side-loaded, for debugging, or changed (UNRECOGNIZED_VERSION). If \
            nothing was evaluated, Google does not trust the device, or the token was decoded before.
            """,
        remedy: """
            The user installs the app from Google Play, and the app fetches a new token. Test builds get an app of their own \
            that allows more in `play_integrity.app_verdicts`: in production that lets changed copies in.
            """)

    static let deviceVerdict = ReasonGuidance(
        cause: """
            The device is rooted, unlocked, an emulator, or runs a system that Google does not certify; or the label that \
            `play_integrity.device_verdicts` names is switched off in the Play Console.
            """,
        remedy: """
            Switch the label on in the Play Console. Secure systems that Google does not certify, such as GrapheneOS, are \
            accepted by key attestation (`android`); lower labels let rooted devices in.
            """)

    static let ctsProfileMismatch = ReasonGuidance(
        cause: "The response says that the device was rooted, unlocked or not certified when it was made.",
        remedy: "Do not rely on what was registered with it. The device registers by Play Integrity or key attestation.")

    static let providerDeprecated = ReasonGuidance(
        cause: "An old version of the app still sends SafetyNet responses, which Google turned off in January 2025.",
        remedy: """
            The user updates to a version that uses Play Integrity or key attestation. A response that claims to be new is a \
            forgery.
            """)

    static let vendorRefused = ReasonGuidance(
        cause: "Apple or Google does not accept the token: it is too old, cut, of another app or package, or invented.",
        remedy: """
            The app fetches a new token right before it sends. If every token fails, check `play_integrity.google.package`, or \
            `device_check.team`; single cases are foreign or invented.
            """)

    static let sdkVersionUnevaluated = ReasonGuidance(
        cause: """
            `play_integrity.min_sdk_version` is set, and the token does not state the system's version: device attributes are \
            switched off in the Play Console, or Google does not trust the device.
            """,
        remedy: """
            Switch on device attributes in the Play Console. Devices that Google does not evaluate even then stay refused.
            """)

    static let appNotLicensed = ReasonGuidance(
        cause: "The user's account did not get the app from Google Play: it is side-loaded or from another store.",
        remedy: """
            The user installs the app from Google Play; Play's dialog GET_LICENSED helps. If other stores are allowed, let \
            UNLICENSED warn in `play_integrity.signals.licensing`.
            """)

    static let licenseUnevaluated = ReasonGuidance(
        cause: """
            Google did not look for a licence: no user is signed in to Google Play, Play does not know this version of the \
            app, or Google does not trust the device.
            """,
        remedy: """
            The user signs in to Google Play, and the app fetches a new token. `play_integrity.signals.licensing` says whether \
            UNEVALUATED fails; by default it warns.
            """)

    static let playProtect = ReasonGuidance(
        cause: """
            Play Protect is off (POSSIBLE_RISK) or found harmful apps (MEDIUM_RISK, HIGH_RISK), and \
            `play_integrity.signals.play_protect` lets that fail.
            """,
        remedy: """
            The user turns Play Protect on and removes what it found. Honest users have these values often: let only those \
            fail that are worth it, and the others warn.
            """)

    static let appAccessRisk = ReasonGuidance(
        cause: """
            Another app can record the screen, draw over it or control the device, such as one for remote support, and \
            `play_integrity.signals.app_access_risk` lets that fail.
            """,
        remedy: """
            The user closes that app; Play's dialog CLOSE_ALL_ACCESS_RISK helps. A user who did not install one is under \
            attack.
            """)

    static let deviceActivity = ReasonGuidance(
        cause: """
            The device fetched many tokens within an hour (LEVEL_3, LEVEL_4): a farm of accounts on one phone, or an app that \
            asks in a loop.
            """,
        remedy: """
            Correct an app that asks more than once for an action. Otherwise treat it as a farm; \
            `play_integrity.signals.device_activity` says which levels fail.
            """)

    static let deviceRecalled = ReasonGuidance(
        cause: "Your own service set a recall bit for the device, usually after fraud. It survives a factory reset.",
        remedy: """
            Find in your own records why the bit was set, and clear it at Google if the device has a new owner. \
            `play_integrity.signals.device_recall` names the bits that fail.
            """)

    static let accountActivity = ReasonGuidance(
        cause: """
            Google finds the activity of the user's account unusual, or knows too little of it, and \
            `play_integrity.signals.account_activity` lets that fail.
            """,
        remedy: """
            Ask the user for another proof, or treat the account as automated or bought. Let UNKNOWN and UNEVALUATED warn at \
            most: new users have them.
            """)
}
