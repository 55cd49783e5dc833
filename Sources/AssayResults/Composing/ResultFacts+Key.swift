import AssayCore

extension ResultFacts {
    /// The device's key. Throws `result_without_device_key` if there is none, or one of a kind that has no JWK here.
    func webKey() throws(ResultProblem) -> JSONWebKey {
        guard let key = deviceKey.flatMap(JSONWebKey.init(registered:)) else { throw .noKey }
        return key
    }

    /// The device's key, for tokens whose holder proves by signing a JWT that it has the key. Throws also for keys that sign nothing but structures of
    /// their platform: no holder of such a token could prove anything.
    func messageKey() throws(ResultProblem) -> JSONWebKey {
        let signsMessages = formats.allSatisfy { format in
            guard let scope = format.scope, scope.contains(.device) else { return true }
            return scope.contains(.messages)
        }
        guard signsMessages else { throw .noKey }
        return try webKey()
    }
}
