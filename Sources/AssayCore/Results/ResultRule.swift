/// Which signed results an app's callers may ask for, and what is in them: the app's section `results`.
public struct ResultRule: Hashable, Sendable {
    /// How a result names the device.
    public enum DeviceNaming: String, CaseIterable, Hashable, Sendable {
        /// By an HMAC of its id under a secret for the audience, so that two audiences cannot find that theirs is the same device.
        case pairwise
        /// By its id in the registry, the same for all audiences.
        case global
        /// Not at all.
        case none
    }

    /// How long, for which devices, and how often a session token is given.
    public struct Session: Hashable, Sendable {
        /// In milliseconds, at most an hour.
        public var lifetime: Int64 = 3_600_000
        /// A device of a weaker assurance gets none.
        public var minimumAssurance = Assurance.hardware
        /// So many tokens that have not ended yet a device may have, as one daemon counts them; `nil`: any number.
        public var perDevice: Int?

        public init() {}
    }

    public var shapes: Set<ResultShape>
    /// In the order of the configuration; never empty.
    public var audiences: [String]
    public var deviceNaming = DeviceNaming.pairwise
    /// How long a result of the other shapes is good, in milliseconds, counted from its verdict.
    public var lifetime: Int64 = 300_000
    public var session = Session()
    /// Whether Entity Attestation Results have a place in a status list, as session tokens and wallets' attestations always do.
    public var status = false
    /// `sub` of a client attestation: the client_id at the authorisation server; `nil` where the app gives none.
    public var clientID: String?
    /// What a wallet's attestations say of the wallet; `nil` where the app gives none.
    public var wallet: Wallet?

    /// The constants of a wallet solution (TS3).
    public struct Wallet: Hashable, Sendable {
        public var name: String
        public var version: String
        /// `wallet_solution_certification_information` and `certification`: a URL or an identifier.
        public var certification: String
        public var link: String?

        public init(name: String, version: String, certification: String, link: String? = nil) {
            (self.name, self.version, self.certification, self.link) = (name, version, certification, link)
        }
    }

    public init(shapes: Set<ResultShape>, audiences: [String]) { (self.shapes, self.audiences) = (shapes, audiences) }
}
