package import AssayCore

/// Where a status list is published: below its issuer's address, `/v1/status/` and the list's number.
package enum StatusListAddress {
    private static let folder = "/v1/status/"
    /// What the path of the issuer of results about simulated devices begins with.
    private static let simulatedFolder = "/simulated"

    /// The address that results name, and the list's `sub`.
    package static func uri(of list: UInt32, from issuer: ResultIssuer) -> String { "\(issuer.address)\(folder)\(list)" }

    /// The list that a path names on a server at the root of the issuer's address; `nil` for a path of another form. A list has one path.
    package static func parse(_ path: String) -> (list: UInt32, issuer: ResultPublicKey.Issuer)? {
        let isSimulated = path.hasPrefix(simulatedFolder + "/")
        let rest = path.dropFirst(isSimulated ? simulatedFolder.count : 0)
        guard rest.hasPrefix(folder) else { return nil }
        let digits = rest.dropFirst(folder.count)
        guard let list = UInt32(digits), "\(list)".utf8.elementsEqual(digits.utf8) else { return nil }
        return (list, isSimulated ? .simulatedDevices : .devices)
    }
}
