/// All rows, in the order of the table. A new row is a type beside these, and a line here.
enum TableRows {
    static let all: [any TableRow] = [
        AssertionRow(), SingleAssertionRow(), SharedAssertionRow(), UnseenAssertionRow(), AttestationRow(), KeySignatureRow(),
        KeyAttestationRow(), IntegrityRow(), BundleRow(), CertificateRow(), FleetRow(), ChallengeRow(),
        RejectionRow(fault: .challenge), RejectionRow(fault: .key), RejectionRow(fault: .signature), ConnectionRow(),
        BadFrameRow(),
    ]
}
