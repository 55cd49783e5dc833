/// A reader of bytes from outside, which a fuzzer drives, and for which tests replay the fuzzer's findings.
///
/// No input may make a target trap, hang, or exceed its named limits. The results are discarded: other tests check that they
/// are right.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A byte stream of frames, cut anywhere, with the calls and answers in them.
    case frame
    /// The messages of the API.
    case messages
    case cbor
    /// DER and PEM: certificates, lists of them, and lists of revoked ones.
    case certificates
    /// App Attest objects and their authenticator data, explained and appraised.
    case appAttest = "app-attest"
    /// BER and CMS, and the fields of a receipt.
    case receipt
    case configuration
    case json
    /// JWE and JWS: tokens of Play Integrity, explained and appraised, the answers of Google's service about them, and
    /// SafetyNet.
    case tokens
    /// Key descriptions and chains of Android.
    case keyAttestation = "key-attestation"
    /// Signatures by registered keys.
    case keySignature = "key-signature"
    /// Bundles that cameras sign, explained and appraised.
    case certificateBundle = "certificate-bundle"
    /// Google's list of revoked attestation certificates.
    case statusList = "status-list"
    /// Vendors' answers over HTTPS, headers and bodies; decoded tokens belong to `tokens`.
    case vendorAnswers = "vendor-answers"
    /// PKCS#10 requests of devices.
    case certificateRequest = "certificate-request"
    /// Signals about a capture, and evidence models.
    case signals
    /// The JSON of every method's request, and answers written as JSON.
    case methodJSON = "method-json"
    /// A body of gRPC and its relatives, cut anywhere.
    case envelope
    /// Compressed requests.
    case gzip
    /// A body of gRPC-Web as text, cut anywhere, and the envelopes in it.
    case grpcWebText = "grpc-web-text"
    /// Questions about the .proto files of the API.
    case reflection
    /// Headers by which proxies pass on the address of a client, and ranges of addresses.
    case forwarded
    /// Frames of HTTP/2, cut anywhere, as far as they are followed beside NIO's reader.
    case headerBlocks = "header-blocks"
    /// Signed results: tokens, their claims, and key sets.
    case results
    /// Depth maps of captures, as files that are inspected.
    case depthMap = "depth-map"
    /// Captures that a registered key signed offline.
    case offlineCapture = "offline-capture"
    /// The messages of uploads in chunks, and requests that name an upload.
    case uploads
    /// APKs, keystores and certificates, as far as who signs an app.
    case signers

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
        case .certificateBundle: Self.certificateBundle(bytes)
        case .statusList: Self.statusList(bytes)
        case .vendorAnswers: Self.vendorAnswers(bytes)
        case .certificateRequest: Self.certificateRequest(bytes)
        case .signals: Self.signals(bytes)
        case .methodJSON: Self.methodJSON(bytes)
        case .envelope: Self.envelope(bytes)
        case .gzip: Self.gzip(bytes)
        case .grpcWebText: Self.grpcWebText(bytes)
        case .reflection: Self.reflection(bytes)
        case .forwarded: Self.forwarded(bytes)
        case .headerBlocks: Self.headerBlocks(bytes)
        case .results: Self.results(bytes)
        case .depthMap: Self.depthMap(bytes)
        case .offlineCapture: Self.offlineCapture(bytes)
        case .uploads: Self.uploads(bytes)
        case .signers: Self.signers(bytes)
        }
    }
}
