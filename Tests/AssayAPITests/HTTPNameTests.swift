import Testing

@testable import AssayAPI

@Suite("Names over HTTP")
struct HTTPNameTests {
    /// A contract with callers, written a second time. A name is never changed.
    private static let names = [
        "/v1/attestation/issue-challenge",
        "/v1/attestation/prepare",
        "/v1/attestation/verify",
        "/v1/audit/forget-claims",
        "/v1/audit/get-claims",
        "/v1/audit/read",
        "/v1/devices/block",
        "/v1/devices/flag",
        "/v1/devices/forget",
        "/v1/devices/get",
        "/v1/devices/import",
        "/v1/devices/list",
        "/v1/devices/list-blocks",
        "/v1/devices/unblock",
        "/v1/devices/unflag",
        "/v1/feeds/list",
        "/v1/feeds/load",
        "/v1/feeds/read",
        "/v1/keys/create",
        "/v1/keys/list",
        "/v1/keys/revoke",
        "/v1/operations/metrics",
        "/v1/operations/status",
        "/v1/operations/watch",
        "/v1/operations/who-am-i",
        "/v1/plugins/disable",
        "/v1/plugins/enable",
        "/v1/plugins/list",
        "/v1/plugins/list-quarantine",
        "/v1/plugins/read-quarantine",
        "/v1/plugins/release-quarantine",
        "/v1/plugins/reload",
        "/v1/policies/delete-recordings",
        "/v1/policies/get",
        "/v1/policies/list",
        "/v1/policies/list-differences",
        "/v1/policies/list-recordings",
        "/v1/provisioning/add-enrolments",
        "/v1/provisioning/get-authorities",
        "/v1/provisioning/get-certificate",
        "/v1/provisioning/get-revocation-list",
        "/v1/provisioning/issue",
        "/v1/provisioning/list-certificates",
        "/v1/provisioning/list-enrolments",
        "/v1/provisioning/provision-device",
        "/v1/provisioning/readmit-device",
        "/v1/provisioning/remove-enrolment",
        "/v1/provisioning/renew",
        "/v1/provisioning/revoke",
        "/v1/results/get-keys",
        "/v1/results/get-status-list",
        "/v1/results/list-keys",
        "/v1/results/rotate",
        "/v1/uploads/abort",
        "/v1/uploads/begin",
        "/v1/uploads/finalize",
        "/v1/uploads/get",
        "/v1/uploads/put-chunks",
        "/v1/verdicts/find",
        "/v1/verdicts/get",
        "/v1/verdicts/list",
        "/v1/webhooks/list",
        "/v1/webhooks/resend",
    ]

    @Test("every method has the name over HTTP that callers know it by")
    func contract() { #expect(MethodDeclaration.all.map(\.http.path).sorted() == Self.names) }

    @Test("names are all different, and of lower-case letters, digits, hyphens and slashes")
    func form() {
        let names = MethodDeclaration.all.map(\.http)
        #expect(Set(names).count == names.count)
        for name in names { #expect(name.path.wholeMatch(of: /(\/[a-z0-9]+(-[a-z0-9]+)*){3}/) != nil, "\(name)") }
    }

    @Test("a name is posted to, and is the version, the service and the method in words")
    func words() {
        #expect(HTTPName(grpcPath: "/assay.v1.Operations/WhoAmI").description == "POST /v1/operations/who-am-i")
        #expect(HTTPName(grpcPath: "/assay.v2.DeviceKeys/Get").path == "/v2/device-keys/get")
    }

    @Test(
        "a path that is not a package, a service and a method is its own name",
        arguments: ["", "/", "Verify", "/Verify", "/a/Verify", "/a.B/C/D"])
    func odd(_ path: String) { #expect(HTTPName(grpcPath: path).path == path) }
}
