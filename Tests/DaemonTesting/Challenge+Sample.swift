import AssayCore

extension Challenge {
    /// A challenge that a daemon issued for the app `camera`.
    static func sample(_ purpose: Purpose = .register, expiry: Timestamp) throws -> [UInt8] {
        guard let app = AppID("camera") else { throw Rejection(.challengeInvalid, "no app id") }
        return ChallengeKey(id: 7, secret: [UInt8](repeating: 9, count: 32), createdAt: .distantPast)
            .issue(app: app, purpose: purpose, context: [], expiry: expiry)
    }
}
