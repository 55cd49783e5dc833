import AssayCore

extension VerifiedResult {
    /// Where the status of the result is published; `nil` for a result without one. In the EU wallet's tokens it stands in `client_status` and
    /// `key_storage_status`.
    package func statusReference() throws(ResultFault) -> ResultStatusReference? {
        var claims: ClaimFields? = ClaimFields(self.claims)
        switch shape {
        case .walletInstance: claims = try claims?.optionalSection("client_status")
        case .keyAttestation: claims = try claims?.optionalSection("key_storage_status")
        case .earJWT, .earCWT, .session, .clientAttestation, .plainJWS, .plainCOSE: break
        }
        guard let status = try claims?.optionalSection("status") else { return nil }
        let list = try status.section("status_list")
        guard let index = UInt32(exactly: try list.integer("idx")) else {
            throw ResultFault(.wrongClaim, list.place("idx"), "is no index")
        }
        return ResultStatusReference(uri: try list.filledText("uri"), index: index)
    }
}
