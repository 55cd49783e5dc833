import AssayAPI
import SwiftProtobuf

/// A method of the API: its path, and how its messages become JSON and are read from it. SwiftProtobuf does both, not the daemon's own code.
struct ComparedMethod: Sendable {
    /// Without the slash at the beginning.
    let path: String
    /// The JSON of a request.
    let json: @Sendable ([UInt8]) throws -> [UInt8]
    /// The answer that JSON states, serialised.
    let answer: @Sendable ([UInt8]) throws -> [UInt8]
    /// An answer as a tree.
    let tree: @Sendable ([UInt8]) throws -> AnswerTree

    private init<Request: Message, Answer: Message>(_ path: String, _: Request.Type, _: Answer.Type) {
        self.path = "assay.v1." + path
        json = { try Request(serializedBytes: $0).jsonUTF8Bytes() }
        answer = { try Answer(jsonUTF8Bytes: $0).serializedBytes() }
        tree = { try AnswerTree(json: try Answer(serializedBytes: $0).jsonUTF8Bytes()) }
    }

    static let issueChallenge = Self(
        "Attestation/IssueChallenge", Assay_V1_IssueChallengeRequest.self, Assay_V1_IssueChallengeResponse.self)
    static let verify = Self("Attestation/Verify", Assay_V1_VerifyRequest.self, Assay_V1_Verdict.self)
    static let prepare = Self("Attestation/Prepare", Assay_V1_PrepareRequest.self, Assay_V1_PrepareResponse.self)

    static let getDevice = Self("Devices/Get", Assay_V1_GetDeviceRequest.self, Assay_V1_Device.self)
    static let listDevices = Self("Devices/List", Assay_V1_ListDevicesRequest.self, Assay_V1_ListDevicesResponse.self)
    static let block = Self("Devices/Block", Assay_V1_BlockRequest.self, Assay_V1_BlockResponse.self)
    static let unblock = Self("Devices/Unblock", Assay_V1_UnblockRequest.self, Assay_V1_UnblockResponse.self)
    static let listBlocks = Self("Devices/ListBlocks", Assay_V1_ListBlocksRequest.self, Assay_V1_ListBlocksResponse.self)
    static let flag = Self("Devices/Flag", Assay_V1_FlagDeviceRequest.self, Assay_V1_FlagDeviceResponse.self)
    static let unflag = Self("Devices/Unflag", Assay_V1_UnflagDeviceRequest.self, Assay_V1_UnflagDeviceResponse.self)
    static let forget = Self("Devices/Forget", Assay_V1_ForgetDeviceRequest.self, Assay_V1_ForgetDeviceResponse.self)

    static let issue = Self(
        "Provisioning/Issue", Assay_V1_IssueCertificateRequest.self, Assay_V1_IssueCertificateResponse.self)
    static let renew = Self(
        "Provisioning/Renew", Assay_V1_RenewCertificateRequest.self, Assay_V1_IssueCertificateResponse.self)
    static let revoke = Self(
        "Provisioning/Revoke", Assay_V1_RevokeCertificateRequest.self, Assay_V1_RevokeCertificateResponse.self)
    static let getCertificate = Self(
        "Provisioning/GetCertificate", Assay_V1_GetCertificateRequest.self, Assay_V1_DeviceCertificate.self)
    static let listCertificates = Self(
        "Provisioning/ListCertificates", Assay_V1_ListCertificatesRequest.self, Assay_V1_ListCertificatesResponse.self)
    static let getAuthorities = Self(
        "Provisioning/GetAuthorities", Assay_V1_GetAuthoritiesRequest.self, Assay_V1_GetAuthoritiesResponse.self)
    static let provisionDevice = Self(
        "Provisioning/ProvisionDevice", Assay_V1_ProvisionDeviceRequest.self, Assay_V1_ProvisionDeviceResponse.self)
    static let addEnrolments = Self(
        "Provisioning/AddEnrolments", Assay_V1_AddEnrolmentsRequest.self, Assay_V1_AddEnrolmentsResponse.self)
    static let listEnrolments = Self(
        "Provisioning/ListEnrolments", Assay_V1_ListEnrolmentsRequest.self, Assay_V1_ListEnrolmentsResponse.self)
    static let readmit = Self(
        "Provisioning/ReadmitDevice", Assay_V1_ReadmitDeviceRequest.self, Assay_V1_ReadmitDeviceResponse.self)
    static let removeEnrolment = Self(
        "Provisioning/RemoveEnrolment", Assay_V1_RemoveEnrolmentRequest.self, Assay_V1_RemoveEnrolmentResponse.self)

    static let whoAmI = Self("Operations/WhoAmI", Assay_V1_WhoAmIRequest.self, Assay_V1_WhoAmIResponse.self)
    static let status = Self("Operations/Status", Assay_V1_StatusRequest.self, Assay_V1_StatusResponse.self)
    static let listVerdicts = Self("Verdicts/List", Assay_V1_ListVerdictsRequest.self, Assay_V1_ListVerdictsResponse.self)
    static let getVerdict = Self("Verdicts/Get", Assay_V1_GetVerdictRequest.self, Assay_V1_VerdictRecord.self)
}
