import CPKCS11

extension TokenConnection {
    /// Makes a key pair in the token, checks that the private key cannot leave it, and removes the pair if anything is wrong.
    ///
    /// - Parameter isWanted: false once the result would be dropped; the pair is removed then.
    func generate(
        _ curve: TokenCurve, label: String, id: [UInt8], isWanted: () -> Bool
    ) throws(TokenError) -> TokenPublicKey {
        guard let session else { throw absent }
        for taken in [KeySelector(label: label), KeySelector(id: id)] {
            guard try findObjects(class: CKO_PRIVATE_KEY, taken, atMost: 1).isEmpty else {
                throw TokenError(.keyExists, "\(settings.token) already has a \(taken)")
            }
        }
        // Objects are made in read/write sessions only (§5.6.1). The login is the token's, not the session's.
        let writing = try openSession(session.slot, CKF_SERIAL_SESSION | CKF_RW_SESSION)
        defer { try? call("C_CloseSession") { $0.closeSession(writing) } }
        let pair = try pair(curve, label: label, id: id, in: writing)
        do throws(TokenError) {
            let protection = try protection(of: pair.privateKey)
            guard protection.neverLeft else {
                throw TokenError(
                    .keyUnsuitable, "\(settings.token) made a key that may leave it; it was removed: \(protection)")
            }
            let found = try findKey(KeySelector(label: label, id: id), expecting: nil)
            guard found.publicKey.curve == curve else {
                throw TokenError(.keyUnsuitable, "\(settings.token) made a key on another curve; it was removed")
            }
            guard isWanted() else { throw TokenError(.cancelled, "the key came too late; it was removed") }
            return found.publicKey
        } catch {
            for object in [pair.privateKey, pair.publicKey] {
                try? call("C_DestroyObject") { $0.destroyObject(writing, object) }
            }
            throw error
        }
    }

    private func pair(
        _ curve: TokenCurve, label: String, id: [UInt8], in session: CK_SESSION_HANDLE
    ) throws(TokenError) -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        do throws(TokenError) { return try generatePair(curve, label: label, id: id, in: session) } catch {
            guard error.returned == .mechanismInvalid else { throw error }
            throw TokenError(.keyUnsuitable, "\(settings.token) makes no keys of \(curve.name)", returned: error.returned)
        }
    }

    private func generatePair(
        _ curve: TokenCurve, label: String, id: [UInt8], in session: CK_SESSION_HANDLE
    ) throws(TokenError) -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        let common: [Attribute] = [
            .flag(CKA_TOKEN, true), .bytes(CKA_LABEL, Array(label.utf8)), .bytes(CKA_ID, id),
            .number(CKA_KEY_TYPE, curve.keyType),
        ]
        let publicTemplate =
            common + [
                .number(CKA_CLASS, CKO_PUBLIC_KEY), .flag(CKA_PRIVATE, false), .flag(CKA_VERIFY, true),
                .bytes(CKA_EC_PARAMS, curve.parameters),
            ]
        let privateTemplate =
            common + [
                .number(CKA_CLASS, CKO_PRIVATE_KEY), .flag(CKA_PRIVATE, true), .flag(CKA_SENSITIVE, true),
                .flag(CKA_EXTRACTABLE, false), .flag(CKA_SIGN, true), .flag(CKA_DERIVE, false),
            ]
        var mechanism = CK_MECHANISM(mechanism: curve.generation, pParameter: nil, ulParameterLen: 0)
        var (publicKey, privateKey): (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
        try Attribute.withTemplate(publicTemplate) { publicAttributes, publicCount throws(TokenError) in
            try Attribute.withTemplate(privateTemplate) { privateAttributes, privateCount throws(TokenError) in
                try call("C_GenerateKeyPair") {
                    $0.generateKeyPair(
                        session, &mechanism, publicAttributes, publicCount, privateAttributes, privateCount, &publicKey,
                        &privateKey)
                }
            }
        }
        return (publicKey, privateKey)
    }
}

extension TokenCurve {
    /// CKA_KEY_TYPE
    var keyType: CK_KEY_TYPE {
        switch self {
        case .p256, .p384: CKK_EC
        case .ed25519: CKK_EC_EDWARDS
        }
    }

    /// The mechanism that makes key pairs.
    var generation: CK_MECHANISM_TYPE {
        switch self {
        case .p256, .p384: CKM_EC_KEY_PAIR_GEN
        case .ed25519: CKM_EC_EDWARDS_KEY_PAIR_GEN
        }
    }

    /// The mechanism that signs.
    var mechanism: CK_MECHANISM_TYPE {
        switch self {
        case .p256, .p384: CKM_ECDSA
        case .ed25519: CKM_EDDSA
        }
    }
}
