/// A caller's request, parsed and within its limits, but not yet appraised.
public struct VerificationRequest: Hashable, Sendable {
    public static let evidenceLimit = 4
    public static let subjectLimit = 256
    public static let idempotencyKeyLimit = 64

    public var app: AppID
    public var purpose: Purpose
    /// As issued; empty only with a caller-owned binding.
    public var challenge: [UInt8]
    public var context: [UInt8]
    /// 1 to 4, each of another format.
    public var evidence: [Evidence]
    public var binding: BindingRequest
    /// The caller's account or user; empty if none is named.
    public var subject: [UInt8]
    public var expectedDevice: DeviceID?
    /// The device that a registration retires, whose key the user has lost; `nil`: none.
    public var replaces: DeviceID?
    /// Empty if the caller requests no idempotency.
    public var idempotencyKey: [UInt8]
    /// The address of the caller's own client, by which requests are counted. It bears on no verdict.
    public var sourceAddress: SourceAddress?
    /// The signals about the capture as the device signed them (``SignalDocument``), at most 64 KiB; empty if there are none.
    public var signals: [UInt8]
    /// The signed results that the caller asks for, at most ``ResultRequest/countLimit``, no two of one shape for one audience. They bear on no
    /// verdict.
    public var results: [ResultRequest]
    /// The finished upload whose hash the payload's is, with a binding by client data; `nil`: none. The binding names the hash once the upload is read.
    public var upload: UploadID?
    /// How much a rejection tells. It bears on no decision and no reason.
    public var report: VerdictReport

    /// How the caller says that the evidence is bound to the request.
    public enum BindingRequest: Hashable, Sendable {
        /// Assay's own client data over the payload's SHA-256, if there is a payload.
        case clientData(payloadHash: [UInt8]?)
        /// The app's own client data, which contains the challenge.
        case embedded([UInt8])
        /// The clientDataHash whose freshness the caller guarantees.
        case callerOwned([UInt8])
        /// None: the evidence is a statement of its own.
        case inEvidence
    }
}

extension VerificationRequest {
    // In an extension, so that the compiler makes the initializer of all fields that this one calls: one that sets them itself would build the
    // request, which is long, and copy it.
    public init(
        app: AppID, purpose: Purpose, challenge: [UInt8], context: [UInt8] = [], evidence: [Evidence],
        binding: BindingRequest = .clientData(payloadHash: nil), subject: [UInt8] = [], expectedDevice: DeviceID? = nil,
        idempotencyKey: [UInt8] = [], sourceAddress: SourceAddress? = nil, signals: [UInt8] = [], replaces: DeviceID? = nil,
        results: [ResultRequest] = [], report: VerdictReport = .first, upload: UploadID? = nil
    ) {
        self.init(
            app: app, purpose: purpose, challenge: challenge, context: context, evidence: evidence, binding: binding,
            subject: subject, expectedDevice: expectedDevice, replaces: replaces, idempotencyKey: idempotencyKey,
            sourceAddress: sourceAddress, signals: signals, results: results, upload: upload, report: report)
    }

    /// SHA-256 over every field but the idempotency key, the source address, the results and the report. Requests with equal digests are equal: a
    /// client may repeat a request from another address, and ask for other results, or for one that could not be signed at first. They change
    /// nothing of the verdict that is repeated, and are signed again each time. A report changes nothing of an accepted verdict, which alone
    /// is repeated.
    public var digest: [UInt8] { digest(evidence: evidence.map(\.digest)) }

    /// The same, from digests of the evidence that are known already.
    package func digest(evidence digests: [[UInt8]]) -> [UInt8] {
        var hash = FieldDigest("assay.request.v1")
        hash.append(app.text)
        hash.append(UInt64(purpose.rawValue))
        hash.append(challenge)
        hash.append(context)
        hash.append(UInt64(digests.count))
        for digest in digests { hash.append(digest) }
        switch binding {
        case .clientData(let payloadHash):
            hash.append(UInt64(Binding.Mode.clientData.rawValue))
            hash.append(payloadHash ?? [])
        case .embedded(let clientData):
            hash.append(UInt64(Binding.Mode.embedded.rawValue))
            hash.append(clientData)
        case .callerOwned(let clientDataHash):
            hash.append(UInt64(Binding.Mode.callerOwned.rawValue))
            hash.append(clientDataHash)
        case .inEvidence: hash.append(UInt64(Binding.Mode.inEvidence.rawValue))
        }
        hash.append(subject)
        hash.append(expectedDevice?.bytes ?? [])
        // Left out where there are none, so that the digests of such requests stay as they are in ledgers.
        if !signals.isEmpty { hash.append(signals) }
        if let replaces {
            hash.append("replaces")
            hash.append(replaces.bytes)
        }
        if let upload {
            hash.append("upload")
            hash.append(upload.bytes)
        }
        return hash.finalize()
    }
}
