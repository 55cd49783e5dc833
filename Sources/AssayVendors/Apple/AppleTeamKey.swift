import JWTKit

/// A developer team's key for Apple's services: a `.p8` file from the developer portal, with the DeviceCheck service enabled.
package struct AppleTeamKey: Sendable {
    /// Ten characters: the claim `iss`.
    package let teamID: String
    /// Ten characters: the header `kid`.
    package let keyID: String
    let key: ES256PrivateKey

    /// - Parameter pem: the text of the `.p8` file: a P-256 key in PKCS #8.
    package init(teamID: String, keyID: String, pem: String) throws(AppleKeyError) {
        (self.teamID, self.keyID) = (teamID, keyID)
        // The library's own message may quote the file.
        guard let key = try? ES256PrivateKey(pem: pem) else { throw AppleKeyError() }
        self.key = key
    }

    /// Team and key ids have this form.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}

/// The file contains no such key.
package struct AppleKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description = "the file holds no private key of P-256 as Apple's .p8 files do"
}
