/// What two daemons draw at random each for itself. A value of one stands for one value of the other, and always for the same.
struct DrawnValues {
    private var forward: [String: String] = [:]
    private var backward: [String: String] = [:]

    /// Members whose values are drawn, or signed or counted with what is.
    static let names: Set<String> = [
        "requestId", "deviceId", "challenge", "certificate", "deviceCertificate", "serial", "deviceSecret", "devicePrivateKey",
        "keyTableIndices", "keys", "tokens", "tokenSha256", "nextPageToken", "usedBy", "replaces", "list",
    ]

    /// Whether two values may stand for each other.
    mutating func match(_ one: String, _ other: String) -> Bool {
        if let known = forward[one] { return known == other }
        guard backward[other] == nil else { return false }
        (forward[one], backward[other]) = (other, one)
        return true
    }
}
