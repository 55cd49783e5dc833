package import AssayCore
package import AssayResults

/// What an issuer of results publishes at an instant.
package struct ResultPublication: Sendable {
    package let issuer: ResultIssuer
    /// The JWK Set (RFC 7517 §5), JSON.
    package let keySet: [UInt8]
    /// The algorithms of its keys, in the order of publication, each once.
    package let algorithms: [String]
    /// How long both may be kept, in milliseconds.
    package let cacheLifetime: Int64
}

extension ResultKeyRing {
    /// `nil` if the configuration has no such issuer.
    package func publication(of kind: ResultPublicKey.Issuer, at now: Timestamp) -> ResultPublication? {
        guard let issuer = issuer(kind), let set = keySet(kind) else { return nil }
        let published = set.published(at: now)
        var certificates: [[UInt8]: [[UInt8]]] = [:]
        var algorithms: [String] = []
        for turn in published {
            certificates[turn.identifier] = key(turn.identifier)?.certificates
            let algorithm = JSONWebKey(subjectPublicKeyInfo: turn.key.key.publicKey)?.curve.algorithm
            if let algorithm, !algorithms.contains(algorithm) { algorithms.append(algorithm) }
        }
        return ResultPublication(
            issuer: issuer, keySet: set.webKeySet(at: now, certificates: certificates), algorithms: algorithms,
            cacheLifetime: set.rule.cacheLifetime)
    }
}
