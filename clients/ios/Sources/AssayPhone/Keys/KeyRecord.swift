import Foundation

/// What the store has of the key of one user.
struct KeyRecord: Hashable, Codable {
    /// How far the key is. Each step is written before the next begins, so that an app that ends goes on where it was.
    enum Key: Hashable, Codable {
        case generated(id: String)
        /// Apple is, or was, asked to attest it over this challenge, which came at this time.
        case attesting(id: String, challenge: Challenge, at: Date)
        /// The backend is to register it. `wasSent`: an earlier request may have arrived.
        case attested(Registration, wasSent: Bool)
        case registered(id: String)

        var id: String {
            switch self {
            case .generated(let id), .attesting(let id, _, _), .registered(let id): id
            case .attested(let registration, _): registration.keyID
            }
        }
    }

    var key: Key?
    var history = KeyHistory()
}
