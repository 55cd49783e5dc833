/// A reader of bytes from outside, as a fuzzer drives it and as tests replay what a fuzzer found.
///
/// None may trap, hang, or keep more than its named limits, whatever the bytes are. What they find is thrown away: other tests
/// hold them to being right.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A byte stream of frames, cut anywhere, with the calls and answers in them.
    case frame
    /// The messages of the API.
    case messages
    case cbor
    /// DER and PEM: certificates and lists of them.
    case certificates
    /// App Attest objects and their authenticator data, told and judged.
    case appAttest = "app-attest"
    /// BER and CMS, and what a receipt says.
    case receipt
    case configuration
    case json
    /// JWE and JWS: tokens of Play Integrity, told and judged, what Google's service answers about them, and SafetyNet.
    case tokens
    /// Key descriptions and chains of Android.
    case keyAttestation = "key-attestation"
    /// Signatures by registered keys.
    case keySignature = "key-signature"
    /// Google's list of revoked attestation certificates.
    case statusList = "status-list"
    /// What vendors answer over HTTPS, headers and bodies, but for decoded tokens, which are among the tokens.
    case vendorAnswers = "vendor-answers"

    public func run(_ bytes: [UInt8]) {
        switch self {
        case .frame: Self.frame(bytes)
        case .messages: Self.messages(bytes)
        case .cbor: Self.cbor(bytes)
        case .certificates: Self.certificates(bytes)
        case .appAttest: Self.appAttest(bytes)
        case .receipt: Self.receipt(bytes)
        case .configuration: Self.configuration(bytes)
        case .json: Self.json(bytes)
        case .tokens: Self.tokens(bytes)
        case .keyAttestation: Self.keyAttestation(bytes)
        case .keySignature: Self.keySignature(bytes)
        case .statusList: Self.statusList(bytes)
        case .vendorAnswers: Self.vendorAnswers(bytes)
        }
    }
}
