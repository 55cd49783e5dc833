import CPKCS11

extension TokenConnection {
    /// A module with more slots is refused.
    static let slotLimit = 256

    var absent: TokenError { TokenError(.tokenAbsent, "\(settings.token) is not there") }

    /// The slot with the configured token. Slots whose token does not tell what it is are passed over.
    func findToken() throws(TokenError) -> (slot: CK_SLOT_ID, info: CK_TOKEN_INFO) {
        var count: CK_ULONG = 0
        // Without a place for the slots, the module looks for new ones (§5.5.1).
        try call("C_GetSlotList") { $0.getSlotList(1, nil, &count) }
        var slots = [CK_SLOT_ID](repeating: 0, count: Self.slotLimit)
        count = CK_ULONG(slots.count)
        try call("C_GetSlotList") { $0.getSlotList(1, &slots, &count) }
        guard count <= Self.slotLimit else { throw beyondBounds("C_GetSlotList") }
        var found: (slot: CK_SLOT_ID, info: CK_TOKEN_INFO)?
        var failure: TokenError?
        for slot in slots.prefix(Int(count)) {
            let info: CK_TOKEN_INFO
            do throws(TokenError) {
                info = try tokenInfo(slot)
            } catch {
                failure = error
                continue
            }
            guard info.flags & CKF_TOKEN_INITIALIZED != 0, matches(info, slot: slot) else { continue }
            guard found == nil else {
                throw TokenError(.tokenAmbiguous, "several tokens match \(settings.token); name it by its serial number")
            }
            found = (slot, info)
        }
        guard let found else {
            // The token may be the one that did not tell.
            guard let failure else { throw absent }
            throw TokenError(.tokenAbsent, "\(absent), and of another slot \(failure)", returned: failure.returned)
        }
        return found
    }

    func tokenInfo(_ slot: CK_SLOT_ID) throws(TokenError) -> CK_TOKEN_INFO {
        var info = CK_TOKEN_INFO()
        try call("C_GetTokenInfo") { $0.getTokenInfo(slot, &info) }
        return info
    }

    func matches(_ info: CK_TOKEN_INFO, slot: CK_SLOT_ID) -> Bool {
        switch settings.token {
        case .label(let label): withUnsafeBytes(of: info.label) { unpadded($0) } == Array(label.utf8)
        case .serial(let serial): withUnsafeBytes(of: info.serialNumber) { unpadded($0) } == Array(serial.utf8)
        case .slot(let wanted): slot == wanted
        }
    }

    /// Texts are padded with blanks (§3.1); some modules pad with zeros.
    private func unpadded(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var text = Array(bytes)
        while let last = text.last, last == 0x20 || last == 0 { text.removeLast() }
        return text
    }

    func beyondBounds(_ function: String) -> TokenError {
        TokenError(.failed, "\(function) answered with a length beyond its bounds")
    }
}
