/// What an accepted verdict does not say, so that nothing is read into it. The list is closed: raw values are on the wire and in signed results,
/// never renamed and never reused.
public enum VerdictLimit: String, CaseIterable, Hashable, Sendable {
    /// No payload is known that the device's signature covers: the verdict speaks for no content.
    case noPayload = "not_bound_to_payload"
    /// A genuine device may have signed on behalf of another place: nothing shows that what was sent came from the device itself.
    case relay = "relay_not_excluded"
    /// What the signals say of the capture is the app's own word, under the device's signature.
    case appsWord = "signals_are_the_apps_word"
    /// The caller vouches for the freshness: Assay saw no challenge of its own.
    case callersFreshness = "freshness_by_the_caller"
    /// The evidence is a statement of its own and answers no challenge.
    case noChallenge = "answers_no_challenge"
    /// Hardware and system were attested when the device was registered, not now.
    case attestedEarlier = "attested_at_registration"
    /// The evidence names no app.
    case noApp = "app_not_identified"
    /// The evidence does not show that the operating system was verified.
    case noSystem = "system_not_verified"
    /// The key is stored by software and may have been copied, or no hardware is known to hold one.
    case softwareKey = "key_in_software"
    /// The verdict rests on a vendor's word, without a key in hardware.
    case vendorsWord = "vendor_word_only"
    /// When the capture was made is the word of the device's clock, which its owner can set.
    case captureTime = "capture_time_by_the_device"
}

extension VerdictLimit {
    /// The limits of a verdict, in the order of the list; none for a rejected one, which says nothing of the device.
    ///
    /// - Parameter formats: of the evidence; empty: they are not known, and nothing is said.
    static func limits(
        of decision: Verdict.Decision, _ binding: Binding?, _ confidence: Confidence?, formats: [EvidenceFormat]
    ) -> [VerdictLimit] {
        guard case .accepted(let assurance) = decision, !formats.isEmpty else { return [] }
        var (scope, isAttestedEarlier) = (EvidenceScope(), false)
        for format in formats {
            guard let own = format.scope else { continue }
            scope.formUnion(own)
            if own.contains(.device), !own.contains(.now) { isAttestedEarlier = true }
        }
        func holds(_ limit: VerdictLimit) -> Bool {
            switch limit {
            case .noPayload: binding?.payloadHash == nil
            case .relay: true
            case .appsWord: confidence?.scene.restsOnAppsWord ?? false
            case .callersFreshness: binding?.mode == .callerOwned
            case .noChallenge: binding?.mode == .inEvidence
            case .attestedEarlier: isAttestedEarlier
            case .noApp: !scope.contains(.app)
            case .noSystem: !scope.contains(.system) || assurance <= .software
            case .softwareKey: assurance <= .software
            case .vendorsWord: assurance == .platform
            case .captureTime: formats.contains(.offlineSignature)
            }
        }
        var limits: [VerdictLimit] = []
        limits.reserveCapacity(inOrder.count)
        for limit in inOrder where holds(limit) { limits.append(limit) }
        return limits
    }

    /// `allCases`, which is made at each use.
    private static let inOrder = allCases
}
