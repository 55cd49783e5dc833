import AssayCore
import AssayRPC

/// Locates what each piece of evidence needs and fetches it; refuses what the registry refuses.
struct Fetching: Sendable {
    let ledger: any Ledger
    let subjects: SubjectKey
    let vendors: VendorDesk

    func fetch(_ admitted: Admitted, _ fresh: Freshness.Outcome) async throws(Interruption) -> VerificationCase {
        let subject = subject(of: admitted.request)
        try checkTogether(admitted)
        var pieces: [VerificationCase.Piece] = []
        var unchecked = subject
        for evidence in admitted.request.evidence {
            pieces.append(try await piece(evidence, admitted, fresh, subject: subject, &unchecked))
        }
        try await checkSubject(&unchecked, admitted)
        guard pieces.count == 1 || Set(pieces.compactMap(\.device?.id)).count <= 1 else {
            throw .refused(.severalDevices, check: "registry")
        }
        return VerificationCase(admitted: admitted, pieces: pieces, subject: subject)
    }

    /// The keyed hash of the subject that a request names; `nil` where it names none.
    func subject(of request: VerificationRequest) -> [UInt8]? { subjects.hash(request.subject, app: request.app) }

    /// Kinds that the app wants together when a device registers.
    private func checkTogether(_ admitted: Admitted) throws(Interruption) {
        guard admitted.request.purpose == .register, !admitted.profile.requiredTogether.isEmpty else { return }
        let given = Set(admitted.request.evidence.map(\.format))
        // An app of two platforms: what it wants of one is not asked of the other.
        guard !given.isDisjoint(with: admitted.profile.requiredTogether),
            let missing = admitted.profile.requiredTogether.subtracting(given).map(\.rawValue).min()
        else { return }
        throw .refused(Rejection(.evidenceMissing, "the app requires \(missing) too"), check: "evidence")
    }

    /// Refuses a request whose subject is blocked, whatever its evidence is of.
    ///
    /// - Parameter subject: the subject as long as nothing has said yet that it is not blocked. A device that was registered
    ///   for it has: the device would be blocked too.
    private func checkSubject(_ subject: inout [UInt8]?, _ admitted: Admitted) async throws(Interruption) {
        guard let asked = subject else { return }
        try await ledger.refuseBlocked(subject: asked, of: admitted.request.app)
        subject = nil
    }

    private func piece(
        _ evidence: Evidence, _ admitted: Admitted, _ fresh: Freshness.Outcome, subject: [UInt8]?,
        _ unchecked: inout [UInt8]?
    ) async throws(Interruption) -> VerificationCase.Piece {
        guard let verifier = admitted.profile.verifiers[evidence.format],
            verifier.purposes.contains(admitted.request.purpose)
        else {
            throw .refused(
                evidence.format.isDiscontinued
                    ? Rejection(.providerDeprecated, "the provider of \(evidence.format) was turned off")
                    : Rejection(.formatNotAccepted, "the app does not accept \(evidence.format) for this purpose"),
                check: "evidence")
        }
        guard evidence.body.count <= verifier.sizeLimit else {
            throw .refused(
                Rejection(.evidenceTooLarge, "\(evidence.body.count) bytes, limit \(verifier.sizeLimit)"),
                check: "evidence")
        }
        let lookup: Lookup
        do { lookup = try verifier.locate(evidence) } catch { throw .refused(error, check: "evidence") }
        var piece = VerificationCase.Piece(evidence: evidence, verifier: verifier)
        switch lookup {
        case .nothing: break
        case .device(let keyID):
            do {
                piece.device = try await ledger.device(DeviceKey(app: admitted.request.app, keyID: keyID))
            } catch { throw .failed(RPCError(error)) }
            if let device = piece.device {
                try Registry.check(device, for: admitted, subject: subject)
                if device.subject == subject { unchecked = nil }
            }
        case .attestationKey(let key):
            do {
                piece.attestationKeyUse = try await ledger.use(ofAttestationKey: key, at: admitted.now)
            } catch { throw .failed(RPCError(error)) }
        case .vendor:
            // A blocked subject costs no question.
            try await checkSubject(&unchecked, admitted)
            guard let vendor = admitted.profile.vendors[evidence.format] else {
                piece.vendor = .unavailable("no service is configured that could be asked")
                break
            }
            piece.vendor = await vendors.reply(
                of: vendor, about: evidence, of: admitted.request.app, with: fresh.challenge, now: admitted.now)
        }
        return piece
    }
}

extension Ledger {
    /// Refuses a subject that is blocked.
    func refuseBlocked(subject: [UInt8], of app: AppID) async throws(Interruption) {
        let isBlocked: Bool
        do { isBlocked = try await self.isBlocked(subject: subject, of: app) } catch { throw .failed(RPCError(error)) }
        guard !isBlocked else { throw .refused(ReasonCode.deviceBlocked.rejection, check: "registry") }
    }
}
