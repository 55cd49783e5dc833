/// Every method of the API with the roles of which a caller must have one. What is not declared here is not served,
/// and a test holds the list against the .proto files.
package struct MethodDeclaration: Hashable, Sendable {
    /// The gRPC path.
    package let path: String
    package let roles: Set<Role>

    package static let issueChallenge = MethodDeclaration(
        path: "/assay.v1.Attestation/IssueChallenge", roles: [.verify, .provision])
    package static let verify = MethodDeclaration(path: "/assay.v1.Attestation/Verify", roles: [.verify])
    package static let getDevice = MethodDeclaration(path: "/assay.v1.Devices/Get", roles: [.devices])
    package static let listDevices = MethodDeclaration(path: "/assay.v1.Devices/List", roles: [.devices])
    package static let block = MethodDeclaration(path: "/assay.v1.Devices/Block", roles: [.devices])
    package static let unblock = MethodDeclaration(path: "/assay.v1.Devices/Unblock", roles: [.devices])
    package static let listBlocks = MethodDeclaration(path: "/assay.v1.Devices/ListBlocks", roles: [.devices])
    package static let forgetDevice = MethodDeclaration(path: "/assay.v1.Devices/Forget", roles: [.devices])
    package static let importDevices = MethodDeclaration(path: "/assay.v1.Devices/Import", roles: [.devices])
    package static let status = MethodDeclaration(path: "/assay.v1.Operations/Status", roles: [.observe])
    package static let readAudit = MethodDeclaration(path: "/assay.v1.Audit/Read", roles: [.observe])
    package static let getAuditClaims = MethodDeclaration(path: "/assay.v1.Audit/GetClaims", roles: [.devices])
    package static let forgetAuditClaims = MethodDeclaration(path: "/assay.v1.Audit/ForgetClaims", roles: [.devices])
    package static let listFeeds = MethodDeclaration(path: "/assay.v1.Feeds/List", roles: [.observe])
    package static let readFeed = MethodDeclaration(path: "/assay.v1.Feeds/Read", roles: [.observe])
    package static let loadFeed = MethodDeclaration(path: "/assay.v1.Feeds/Load", roles: [.operate])

    package static let all = [
        issueChallenge, verify, getDevice, listDevices, block, unblock, listBlocks, forgetDevice, importDevices, status,
        readAudit, getAuditClaims, forgetAuditClaims, listFeeds, readFeed, loadFeed,
    ]

    static let byPath = Dictionary(all.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
}
