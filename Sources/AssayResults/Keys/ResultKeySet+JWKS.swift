package import AssayCore

extension ResultKeySet {
    /// The published keys as a JWK Set (RFC 7517 §5), JSON without white space: each with `kid` (its RFC 7638 thumbprint), `alg` and `use`, in the
    /// order of publication.
    ///
    /// - Parameter certificates: those of keys that have some (`x5c`, RFC 7517 §4.7), DER, the key's own first, by the key's identifier.
    package func webKeySet(at now: Timestamp, certificates: [[UInt8]: [[UInt8]]] = [:]) -> [UInt8] {
        let keys = published(at: now).compactMap { turn in
            JSONWebKey(subjectPublicKeyInfo: turn.key.key.publicKey)?
                .published(as: turn.identifier, certificates: certificates[turn.identifier] ?? [])
        }
        return Array("{\"keys\":[".utf8) + keys.joined(separator: [UInt8(ascii: ",")]) + Array("]}".utf8)
    }
}

extension JSONWebKey {
    /// The key as a member of a JWK Set. No text in it needs escaping.
    fileprivate func published(as identifier: [UInt8], certificates: [[UInt8]]) -> [UInt8] {
        var members = [
            ("alg", curve.algorithm), ("crv", curve.name), ("kid", Base64.url.encode(identifier)), ("kty", curve.type),
            ("use", "sig"),
        ]
        members += self.members.map { ($0.name, Base64.url.encode($0.value)) }
        var text = "{" + members.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",")
        if !certificates.isEmpty {
            text += ",\"x5c\":[" + certificates.map { "\"\(Base64.standard.encode($0))\"" }.joined(separator: ",") + "]"
        }
        return Array(text.utf8) + [UInt8(ascii: "}")]
    }
}
