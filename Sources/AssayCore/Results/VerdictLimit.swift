/// What an accepted verdict does not say, so that nothing is read into it. The list is closed: raw values are on the wire and in signed results,
/// never renamed and never reused.
public enum VerdictLimit: String, CaseIterable, Hashable, Sendable {
    /// The device's signature covers no payload: the verdict speaks for no content.
    case noPayload = "not_bound_to_payload"
    /// A genuine device may have signed for somewhere else: nothing shows that what was sent came from where the device is.
    case relay = "relay_not_excluded"
    /// What the signals say of the capture is the app's own word, signed by the device.
    case appsWord = "signals_are_the_apps_word"
    /// The caller vouches for the freshness: Assay saw no challenge of its own.
    case callersFreshness = "freshness_by_the_caller"
    /// The evidence is a statement of its own and answers no challenge.
    case noChallenge = "answers_no_challenge"
    /// Hardware, system and app were attested when the device was registered, not now.
    case attestedEarlier = "attested_at_registration"
    /// The evidence names no app: what else runs on the device can use the key.
    case noApp = "app_not_identified"
    /// The evidence says nothing of the operating system.
    case noSystem = "system_not_measured"
    /// The key is stored by software and may have been copied.
    case softwareKey = "key_in_software"
    /// The evidence is a vendor's word, without a key in hardware.
    case vendorsWord = "vendor_word_only"
}
