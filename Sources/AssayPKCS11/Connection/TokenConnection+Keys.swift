import AssayCore
import CPKCS11

extension TokenConnection {
    /// Finds a private key and its public key, and lets it sign random bytes: only a signature shows that they belong together.
    func findKey(_ selector: KeySelector, expecting expected: TokenPublicKey?) throws(TokenError) -> FoundKey {
        let handles = try findObjects(class: CKO_PRIVATE_KEY, selector, atMost: 2)
        guard let handle = handles.first else {
            throw TokenError(.keyAbsent, "\(settings.token) has no \(selector)")
        }
        guard handles.count == 1 else {
            throw TokenError(.keyAmbiguous, "\(settings.token) has more than one \(selector)")
        }
        guard try isCurveKey(handle) else { throw unsuitable(selector, "is neither an EC key nor one of Ed25519") }
        // Missing attributes are left to the test signature.
        if try flag(CKA_SIGN, of: handle) == false { throw unsuitable(selector, "may not sign (CKA_SIGN)") }
        if try flag(CKA_ALWAYS_AUTHENTICATE, of: handle) == true {
            throw unsuitable(selector, "wants the PIN for each signature (CKA_ALWAYS_AUTHENTICATE)")
        }
        guard let publicKey = try publicKey(of: handle) ?? expected else {
            throw unsuitable(selector, "has no public key in the token that is of P-256, P-384 or Ed25519")
        }
        if let expected, expected != publicKey { throw mismatch(selector) }
        let key = FoundKey(handle: handle, publicKey: publicKey)
        let proof: TokenError?
        do throws(TokenError) {
            _ = try sign(SignedMessage(SecureRandom.bytes(32), for: publicKey.curve), with: key)
            proof = nil
        } catch { proof = error }
        if let proof { throw proof.code == .signatureInvalid ? mismatch(selector) : proof }
        return key
    }

    private func unsuitable(_ selector: KeySelector, _ why: String) -> TokenError {
        TokenError(.keyUnsuitable, "the \(selector) of \(settings.token) \(why)")
    }

    private func isCurveKey(_ object: CK_OBJECT_HANDLE) throws(TokenError) -> Bool {
        let type = try number(CKA_KEY_TYPE, of: object)
        return type == CKK_EC || type == CKK_EC_EDWARDS
    }

    /// Signs by CKM_ECDSA or CKM_EDDSA, and verifies the signature: what a broken token gives out never leaves.
    ///
    /// - Returns: ECDSA-Sig-Value (DER), or the 64 bytes of Ed25519.
    func sign(_ message: SignedMessage, with key: FoundKey) throws(TokenError) -> [UInt8] {
        let session = try handle()
        var mechanism = CK_MECHANISM(mechanism: key.publicKey.curve.mechanism, pParameter: nil, ulParameterLen: 0)
        var data = message.bytes
        var signature = [UInt8](repeating: 0, count: 256)
        var length = CK_ULONG(signature.count)
        try call("C_SignInit") { $0.signInit(session, &mechanism, key.handle) }
        try call("C_Sign") { $0.sign(session, &data, CK_ULONG(data.count), &signature, &length) }
        guard length <= signature.count else { throw beyondBounds("C_Sign") }
        guard let checked = key.publicKey.signature(raw: Array(signature.prefix(Int(length))), of: message) else {
            throw TokenError(.signatureInvalid, "a signature of \(settings.token) does not belong to its key and the message")
        }
        return checked
    }

    /// The public key of a private key: that of the public key object with the same CKA_ID, or label if it has no id, or the private
    /// key's own CKA_EC_POINT, which some tokens show.
    func publicKey(of privateKey: CK_OBJECT_HANDLE) throws(TokenError) -> TokenPublicKey? {
        let id = try attribute(CKA_ID, of: privateKey) ?? []
        let label = String(decoding: try attribute(CKA_LABEL, of: privateKey) ?? [], as: UTF8.self)
        let selector = id.isEmpty ? KeySelector(label: label) : KeySelector(id: id)
        var keys: Set<TokenPublicKey> = []
        for object in try findObjects(class: CKO_PUBLIC_KEY, selector, atMost: 8) + [privateKey] {
            guard let parameters = try attribute(CKA_EC_PARAMS, of: object),
                let curve = TokenCurve(parameters: parameters),
                let point = try attribute(CKA_EC_POINT, of: object),
                let key = TokenPublicKey(curve: curve, point: Self.bare(point, curve))
            else { continue }
            keys.insert(key)
        }
        // Several keys under one id leave open which one it is.
        return keys.count == 1 ? keys.first : nil
    }

    /// CKA_EC_POINT is an OCTET STRING (DER) around the point (§2.3.3 of the mechanisms); some tokens leave the OCTET STRING out.
    private static func bare(_ point: [UInt8], _ curve: TokenCurve) -> [UInt8] {
        let length = curve.pointLength
        return point.count == length + 2 && point.starts(with: [0x04, UInt8(length)]) ? Array(point.dropFirst(2)) : point
    }

    /// What the token says about its private keys.
    func keys() throws(TokenError) -> [TokenKeyFacts] {
        var facts: [TokenKeyFacts] = []
        for object in try findObjects(class: CKO_PRIVATE_KEY, KeySelector(), atMost: Self.objectLimit) {
            facts.append(
                TokenKeyFacts(
                    label: String(decoding: try attribute(CKA_LABEL, of: object) ?? [], as: UTF8.self),
                    id: try attribute(CKA_ID, of: object) ?? [],
                    publicKey: try isCurveKey(object) ? try publicKey(of: object) : nil,
                    protection: try protection(of: object)))
        }
        return facts
    }
}
