package import AssayCore
package import AssayEncoding

/// Google's server describes the device in extension 1.3.6.1.4.1.11129.2.1.30 of a remotely provisioned attestation
/// certificate: a CBOR map without a version. Some genuine devices carry a malformed one, so a malformed one alone rejects no
/// device.
package struct RemoteKeyProvisioningInfo: Hashable, Sendable {
    package static let oid = OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 30)

    /// About how many certificates were issued to the device in 30 days; `nil` if not stated. Hundreds suggest a device that
    /// attests for others.
    package let certificatesIssued: UInt64?

    package init(_ value: ArraySlice<UInt8>) throws(Rejection) {
        var issued: UInt64?
        try CBORReader.parse(value, code: .malformedExtension).pairs("the provisioning info") { key, value throws(Rejection) in
            guard key.kind == .unsigned, key.argument == 1, value.kind == .unsigned else { return }
            issued = value.argument
        }
        certificatesIssued = issued
    }
}
