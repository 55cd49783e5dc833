import AssayCore

/// The one device that all evidence of a request is of.
///
/// A verdict names one device: by it the commit looks for blocks once more, the audit log tells what happened, a certificate is issued, and a
/// verdict that is kept for a repetition becomes void. So all devices that pieces name are counted here, those of the registry together with
/// those that the request would register. A piece that names none, such as a token, is of no device.
struct EvidenceDevice: Sendable {
    /// The index of a piece that comes from the registered device; `nil`: none does.
    private(set) var knownIndex: Int?
    /// The key id that the pieces name. Device and key are the same: an app has one record for each key.
    private var keyID: [UInt8]?

    /// Of no evidence.
    init() {}

    /// Counts the devices that are named before the evidence is appraised. Throws `device_mismatch` if there are several.
    init(of pieces: [VerificationCase.Piece]) throws(Rejection) {
        // By index: a piece is long, and so is a device; neither is copied.
        for index in pieces.indices {
            guard let keyID = pieces[index].facts.device?.registration.keyID else {
                if let keyID = pieces[index].locatedKeyID { try count(keyID) }
                continue
            }
            try count(keyID)
            if let knownIndex, pieces[knownIndex].facts.device?.id != pieces[index].facts.device?.id { throw .severalDevices }
            knownIndex = index
        }
    }

    private mutating func count(_ keyID: [UInt8]) throws(Rejection) {
        guard self.keyID == nil || self.keyID == keyID else { throw .severalDevices }
        self.keyID = keyID
    }

    /// The device of an acceptance: the one that it registers, or else the known one; `nil` if no piece names one. Throws `device_mismatch` if
    /// the acceptance would be about another device too.
    ///
    /// A registration of the known device's key passes: the commit refuses it as registered already.
    func decided(
        by changes: VerificationCase.Changes, _ appraisals: [Appraisal], known: Device?
    ) throws(Rejection) -> Device? {
        var all = self
        for device in changes.registrations { try all.count(device.registration.keyID) }
        guard changes.registrations.count <= 1, changes.advances.allSatisfy({ $0.device == known?.id }),
            changes.submission.map({ $0.device == known?.id }) ?? true
        else { throw .severalDevices }
        var certifiable: [UInt8]?
        for index in appraisals.indices {
            guard let key = appraisals[index].certifiableKey else { continue }
            guard certifiable == nil || certifiable == key else { throw .severalDevices }
            certifiable = key
        }
        return changes.registrations.first ?? known
    }
}

extension VerificationCase.Piece {
    /// The key id of the device that a plugin reads from the evidence, registered or not.
    var locatedKeyID: [UInt8]? {
        guard case .device(let keyID, _) = location else { return nil }
        return keyID
    }

    /// Why the plugin cannot read the evidence; `nil`: it can.
    var locationRefusal: Rejection? {
        guard case .refused(let rejection) = location else { return nil }
        return rejection
    }
}

extension VerificationCase {
    /// The device that an acceptance of these appraisals is about. Throws `device_mismatch` if there are several.
    func decidedDevice(_ appraisals: [Appraisal], _ changes: Changes) throws(Rejection) -> Device? {
        try named.decided(by: changes, appraisals, known: knownDevice)
    }
}

extension Rejection {
    static let severalDevices = Rejection(.deviceMismatch, "the pieces of evidence are of several devices")
}
