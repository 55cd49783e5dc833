import AssayAPI
import AssayProtobuf
import AssayRPC

/// The parts of a serialised `assay.v1.Verdict` that a proxy is told.
struct AuthorizationVerdict {
    private(set) var decision = Assay_V1_Decision.unspecified
    private(set) var assurance = Assay_V1_Assurance.none
    private(set) var reason = ""
    private(set) var detail = ""
    private(set) var check = ""
    private(set) var retry = Assay_V1_RetryClass.unspecified
    private(set) var device: [UInt8] = []
    private(set) var boundMode = Assay_V1_BoundTo.Mode.unspecified
    private(set) var boundPayload: [UInt8] = []
    private(set) var simulated = false
    private(set) var repeated = false
    private(set) var requestID: [UInt8] = []
    /// Why the evidence would be rejected if the app enforced its verdicts; empty for an acceptance.
    private(set) var wouldReject = ""

    private enum Rules: ProtobufRules {
        static var malformed: RPCError { .verdictNotUnderstood }
        static var dropsHighBits: Bool { true }
    }

    init(serialized message: [UInt8]) throws(RPCError) {
        try message.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<Rules>(bytes)
            while let field = try reader.next() {
                switch field {
                case .varint(1, let value): decision = Self.value(value) ?? .unspecified
                case .varint(2, let value): assurance = Self.value(value) ?? .none
                case .bytes(3, let range): reason = String(decoding: bytes[range], as: UTF8.self)
                case .bytes(4, let range): detail = String(decoding: bytes[range], as: UTF8.self)
                case .bytes(5, let range): check = String(decoding: bytes[range], as: UTF8.self)
                case .varint(6, let value): retry = Self.value(value) ?? .unspecified
                case .bytes(9, let range): device = Array(bytes[range])
                case .bytes(10, let range): try readBound(bytes, range)
                case .varint(14, let value): simulated = value != 0
                case .varint(15, let value): repeated = value != 0
                case .bytes(16, let range): requestID = Array(bytes[range])
                case .bytes(21, let range): try readWouldReject(bytes, range)
                default: continue
                }
            }
        }
    }

    private mutating func readBound(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RPCError) {
        var reader = ProtobufReader<Rules>(bytes, range)
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): boundMode = Self.value(value) ?? .unspecified
            case .bytes(2, let range): boundPayload = Array(bytes[range])
            default: continue
            }
        }
    }

    private mutating func readWouldReject(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RPCError) {
        var reader = ProtobufReader<Rules>(bytes, range)
        while let field = try reader.next() {
            if case .bytes(1, let range) = field { wouldReject = String(decoding: bytes[range], as: UTF8.self) }
        }
    }

    private static func value<Value: RawRepresentable<Int>>(_ number: UInt64) -> Value? {
        Value(rawValue: Int(truncatingIfNeeded: number))
    }

    /// Whether the evidence is good for exactly this call: accepted, of an assurance, and with the body bound that the call binds.
    func accepts(_ call: AuthorizationCall) -> Bool {
        decision == .accepted && assurance.word != nil && boundMode == .clientData && boundPayload == call.payload ?? []
    }
}

extension Assay_V1_Assurance {
    /// The word in configurations and headers; `nil` for none, and for one that is not known here.
    var word: String? {
        switch self {
        case .none, .UNRECOGNIZED: nil
        case .software: "software"
        case .platform: "platform"
        case .hardware: "hardware"
        case .secureElement: "secure_element"
        }
    }
}

extension Assay_V1_RetryClass {
    /// The word in documents and headers. What is not known here can only be left to people.
    var word: String {
        switch self {
        case .never: "never"
        case .newChallenge: "new_challenge"
        case .reAttest: "re_attest"
        case .later: "later"
        case .contactOperator, .unspecified, .UNRECOGNIZED: "contact_operator"
        }
    }
}
