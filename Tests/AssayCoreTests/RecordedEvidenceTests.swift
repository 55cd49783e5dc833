import Testing

@testable import AssayCore

@Suite("Stored form of recorded evidence")
struct RecordedEvidenceTests {
    private let app: AppID
    private let device: Device

    init() throws {
        app = try #require(AppID("camera"))
        device = Device(
            id: DeviceID.random(), app: app, subject: [9],
            registration: Registration(
                format: .keyAttestation, keyID: [1], publicKey: [2], environment: "", anchor: [3], claims: Claims(),
                chainSerials: [], receipt: [4],
                simulated: false), registeredAt: Timestamp(unixSeconds: 1),
            blocks: [.init(.device, reason: "stolen by Anna", since: Timestamp(unixSeconds: 2))])
    }

    private var request: VerificationRequest {
        VerificationRequest(
            app: app, purpose: .register, challenge: [UInt8](repeating: 7, count: Challenge.length),
            evidence: [Evidence(format: .keyAttestation, keyID: [], body: [1, 2])],
            binding: .clientData(payloadHash: [UInt8](repeating: 8, count: 32)), subject: [9], expectedDevice: device.id,
            replaces: device.id)
    }

    @Test("Everything that the rules compare comes back, and no subject, receipt or reason of a block")
    func roundTrip() throws {
        let piece = RequestFacts.Piece(
            facts: Facts(device: device), lookups: [.device, .location], locatedKeyID: [5],
            locationRefusal: Rejection(.malformed, "told by a test"))
        let known = RequestFacts(pieces: [piece], subject: [9], isSubjectBlocked: true, replaced: .device(device))
        let kept = RecordedEvidence(request: request, known: known)
        let read = try #require(RecordedEvidence(decoding: kept.encoded()))
        #expect(read == kept && read.encoded() == kept.encoded())
        #expect(read.request.expectedDevice == device.id && read.request.replaces == device.id && read.request.subject.isEmpty)
        let found = try #require(read.known.pieces.first?.facts.device)
        #expect(found.subject == read.known.subject && found.subject != [9], "equal, and not the subject")
        #expect(found.isBlocked && found.blocks.allSatisfy { $0.reason.isEmpty } && found.registration.receipt.isEmpty)
        guard case .device(let replaced)? = read.known.replaced else {
            Issue.record("no replaced device")
            return
        }
        #expect(replaced.isBlocked && replaced.registration.publicKey.isEmpty && replaced.registration.keyID.isEmpty)
    }

    @Test("A request of which nothing was fetched has no facts")
    func nothingFetched() throws {
        let kept = RecordedEvidence(request: request, known: RequestFacts(pieces: []))
        let read = try #require(RecordedEvidence(decoding: kept.encoded()))
        #expect(read.known.pieces.isEmpty && read.known.isSubjectBlocked == nil && read.known.replaced == nil)
    }

    @Test("The form before has the facts of every piece, and all look-ups were made")
    func version1() throws {
        var writer = StoredFieldsWriter()
        writer.add(Int64(1))
        writer.add("camera")
        writer.add([Purpose.register.rawValue, Binding.Mode.clientData.rawValue])
        writer.add(request.challenge)
        writer.add([] as [UInt8])
        writer.add([UInt8](repeating: 8, count: 32))
        writer.nest { fields in
            fields.add(EvidenceFormat.keyAttestation.rawValue)
            fields.add([] as [UInt8])
            fields.add([1, 2])
            fields.add(Facts(device: device.recorded).encoded())
        }
        let read = try #require(RecordedEvidence(decoding: writer.bytes))
        #expect(read.request.evidence == request.evidence && read.request.binding == request.binding)
        let piece = try #require(read.known.pieces.first)
        #expect(piece.lookups == [.device, .certificate, .location] && piece.facts.device?.id == device.id)
        #expect(RecordedEvidence(decoding: writer.bytes.dropLast().map { $0 }) == nil)
    }
}
