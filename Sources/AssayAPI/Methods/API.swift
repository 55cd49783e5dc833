/// Every method of the API, declared once: for the service, the client, tests and the log.
///
/// A method that is not declared here is not served. Tests hold the list against the .proto files.
package enum API {
    // MARK: assay.v1.Attestation

    package static let issueChallenge = AppMethod<Assay_V1_IssueChallengeRequest, Assay_V1_IssueChallengeResponse>(
        "/assay.v1.Attestation/IssueChallenge", roles: [.verify, .provision], .idempotent, form: .batch)
    package static let verify = AppMethod<Assay_V1_VerifyRequest, Assay_V1_Verdict>(
        "/assay.v1.Attestation/Verify", roles: [.verify], .idempotentWithKey, form: .batch)
    package static let prepare = AppMethod<Assay_V1_PrepareRequest, Assay_V1_PrepareResponse>(
        "/assay.v1.Attestation/Prepare", roles: [.verify], .notIdempotent)

    // MARK: assay.v1.Devices

    package static let getDevice = AppMethod<Assay_V1_GetDeviceRequest, Assay_V1_Device>(
        "/assay.v1.Devices/Get", roles: [.devices], .idempotent)
    package static let listDevices = AppMethod<Assay_V1_ListDevicesRequest, Assay_V1_ListDevicesResponse>(
        "/assay.v1.Devices/List", roles: [.devices], .idempotent, takesTurns: true)
    package static let block = AppMethod<Assay_V1_BlockRequest, Assay_V1_BlockResponse>(
        "/assay.v1.Devices/Block", roles: [.devices], .idempotent)
    package static let unblock = AppMethod<Assay_V1_UnblockRequest, Assay_V1_UnblockResponse>(
        "/assay.v1.Devices/Unblock", roles: [.devices], .notIdempotent)
    package static let listBlocks = AppMethod<Assay_V1_ListBlocksRequest, Assay_V1_ListBlocksResponse>(
        "/assay.v1.Devices/ListBlocks", roles: [.devices], .idempotent, takesTurns: true)
    package static let flagDevice = AppMethod<Assay_V1_FlagDeviceRequest, Assay_V1_FlagDeviceResponse>(
        "/assay.v1.Devices/Flag", roles: [.devices], .idempotent)
    package static let unflagDevice = AppMethod<Assay_V1_UnflagDeviceRequest, Assay_V1_UnflagDeviceResponse>(
        "/assay.v1.Devices/Unflag", roles: [.devices], .notIdempotent)
    package static let forgetDevice = AppMethod<Assay_V1_ForgetDeviceRequest, Assay_V1_ForgetDeviceResponse>(
        "/assay.v1.Devices/Forget", roles: [.devices], .notIdempotent, takesTurns: true)
    package static let importDevices = AppMethod<Assay_V1_ImportDevicesRequest, Assay_V1_ImportDevicesResponse>(
        "/assay.v1.Devices/Import", roles: [.devices], .idempotent, takesTurns: true)

    // MARK: assay.v1.Operations

    package static let status = DaemonMethod<Assay_V1_StatusRequest, Assay_V1_StatusResponse>(
        "/assay.v1.Operations/Status", roles: [.observe], .idempotent)
    package static let watch = DaemonMethod<Assay_V1_WatchRequest, Assay_V1_WatchItem>(
        "/assay.v1.Operations/Watch", roles: [.operate], .idempotent, form: .stream)
    package static let metrics = DaemonMethod<Assay_V1_MetricsRequest, Assay_V1_MetricsResponse>(
        "/assay.v1.Operations/Metrics", roles: [.observe], .idempotent, concernsAllApps: true)
    package static let whoAmI = DaemonMethod<Assay_V1_WhoAmIRequest, Assay_V1_WhoAmIResponse>(
        "/assay.v1.Operations/WhoAmI", roles: Set(Role.allCases), .idempotent)

    // MARK: assay.v1.Keys

    package static let createKey = DaemonMethod<Assay_V1_CreateKeyRequest, Assay_V1_CreateKeyResponse>(
        "/assay.v1.Keys/Create", roles: [.operate], .notIdempotent, concernsAllApps: true)
    package static let listKeys = DaemonMethod<Assay_V1_ListKeysRequest, Assay_V1_ListKeysResponse>(
        "/assay.v1.Keys/List", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let revokeKey = DaemonMethod<Assay_V1_RevokeKeyRequest, Assay_V1_CallerKey>(
        "/assay.v1.Keys/Revoke", roles: [.operate], .idempotent, concernsAllApps: true)

    // MARK: assay.v1.Webhooks

    package static let listWebhooks = DaemonMethod<Assay_V1_ListWebhooksRequest, Assay_V1_ListWebhooksResponse>(
        "/assay.v1.Webhooks/List", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let resendWebhook = DaemonMethod<Assay_V1_ResendWebhookRequest, Assay_V1_ResendWebhookResponse>(
        "/assay.v1.Webhooks/Resend", roles: [.operate], .idempotent, concernsAllApps: true)

    // MARK: assay.v1.Audit

    package static let readAudit = AppFilterMethod<Assay_V1_ReadAuditRequest, Assay_V1_ReadAuditResponse>(
        "/assay.v1.Audit/Read", roles: [.observe], .idempotent, takesTurns: true)
    package static let getAuditClaims = AppMethod<Assay_V1_GetAuditClaimsRequest, Assay_V1_GetAuditClaimsResponse>(
        "/assay.v1.Audit/GetClaims", roles: [.devices], .idempotent)
    package static let forgetAuditClaims = AppMethod<Assay_V1_ForgetAuditClaimsRequest, Assay_V1_ForgetAuditClaimsResponse>(
        "/assay.v1.Audit/ForgetClaims", roles: [.devices], .notIdempotent)

    // MARK: assay.v1.Verdicts

    package static let listVerdicts = AppFilterMethod<Assay_V1_ListVerdictsRequest, Assay_V1_ListVerdictsResponse>(
        "/assay.v1.Verdicts/List", roles: [.operate], .idempotent, takesTurns: true)
    package static let getVerdict = DaemonMethod<Assay_V1_GetVerdictRequest, Assay_V1_VerdictRecord>(
        "/assay.v1.Verdicts/Get", roles: [.operate, .verify], .idempotent, takesTurns: true)
    package static let findVerdicts = AppMethod<Assay_V1_FindVerdictsRequest, Assay_V1_FindVerdictsResponse>(
        "/assay.v1.Verdicts/Find", roles: [.verify], .idempotent)

    // MARK: assay.v1.Policies

    package static let listPolicies = AppFilterMethod<Assay_V1_ListPoliciesRequest, Assay_V1_ListPoliciesResponse>(
        "/assay.v1.Policies/List", roles: [.operate], .idempotent, takesTurns: true)
    package static let getPolicy = DaemonMethod<Assay_V1_GetPolicyRequest, Assay_V1_Policy>(
        "/assay.v1.Policies/Get", roles: [.operate], .idempotent, takesTurns: true)
    package static let listRecordings = AppFilterMethod<Assay_V1_ListRecordingsRequest, Assay_V1_ListRecordingsResponse>(
        "/assay.v1.Policies/ListRecordings", roles: [.operate], .idempotent, takesTurns: true)
    package static let deleteRecordings = AppFilterMethod<
        Assay_V1_DeleteRecordingsRequest, Assay_V1_DeleteRecordingsResponse
    >("/assay.v1.Policies/DeleteRecordings", roles: [.operate, .devices], .idempotent, takesTurns: true)
    package static let listDifferences = AppFilterMethod<
        Assay_V1_ListDifferencesRequest, Assay_V1_ListDifferencesResponse
    >("/assay.v1.Policies/ListDifferences", roles: [.operate], .idempotent, takesTurns: true)

    // MARK: assay.v1.Feeds

    package static let listFeeds = DaemonMethod<Assay_V1_ListFeedsRequest, Assay_V1_ListFeedsResponse>(
        "/assay.v1.Feeds/List", roles: [.observe], .idempotent)
    package static let readFeed = DaemonMethod<Assay_V1_ReadFeedRequest, Assay_V1_FeedEntries>(
        "/assay.v1.Feeds/Read", roles: [.observe], .idempotent)
    package static let loadFeed = DaemonMethod<Assay_V1_LoadFeedRequest, Assay_V1_Feed>(
        "/assay.v1.Feeds/Load", roles: [.operate], .notIdempotent, concernsAllApps: true)

    // MARK: assay.v1.Plugins

    package static let listPlugins = DaemonMethod<Assay_V1_ListPluginsRequest, Assay_V1_ListPluginsResponse>(
        "/assay.v1.Plugins/List", roles: [.observe], .idempotent)
    package static let enablePlugin = DaemonMethod<Assay_V1_EnablePluginRequest, Assay_V1_Plugin>(
        "/assay.v1.Plugins/Enable", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let disablePlugin = DaemonMethod<Assay_V1_DisablePluginRequest, Assay_V1_Plugin>(
        "/assay.v1.Plugins/Disable", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let reloadPlugins = DaemonMethod<Assay_V1_ReloadPluginsRequest, Assay_V1_ListPluginsResponse>(
        "/assay.v1.Plugins/Reload", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let listQuarantine = DaemonMethod<Assay_V1_ListQuarantineRequest, Assay_V1_ListQuarantineResponse>(
        "/assay.v1.Plugins/ListQuarantine", roles: [.observe], .idempotent)
    package static let readQuarantine = DaemonMethod<Assay_V1_ReadQuarantineRequest, Assay_V1_QuarantinedEvidence>(
        "/assay.v1.Plugins/ReadQuarantine", roles: [.operate], .idempotent, concernsAllApps: true)
    package static let releaseQuarantine = DaemonMethod<Assay_V1_ReleaseQuarantineRequest, Assay_V1_ReleaseQuarantineResponse>(
        "/assay.v1.Plugins/ReleaseQuarantine", roles: [.operate], .notIdempotent, concernsAllApps: true)

    // MARK: assay.v1.Provisioning

    package static let issueCertificate = AppMethod<Assay_V1_IssueCertificateRequest, Assay_V1_IssueCertificateResponse>(
        "/assay.v1.Provisioning/Issue", roles: [.provision], .idempotentWithKey, form: .batch)
    package static let renewCertificate = AppMethod<Assay_V1_RenewCertificateRequest, Assay_V1_IssueCertificateResponse>(
        "/assay.v1.Provisioning/Renew", roles: [.provision], .idempotentWithKey, form: .batch)
    package static let revokeCertificate = AppMethod<Assay_V1_RevokeCertificateRequest, Assay_V1_RevokeCertificateResponse>(
        "/assay.v1.Provisioning/Revoke", roles: [.provision, .devices], .idempotent)
    package static let getCertificate = AppMethod<Assay_V1_GetCertificateRequest, Assay_V1_DeviceCertificate>(
        "/assay.v1.Provisioning/GetCertificate", roles: [.provision, .devices], .idempotent)
    package static let listCertificates = AppMethod<Assay_V1_ListCertificatesRequest, Assay_V1_ListCertificatesResponse>(
        "/assay.v1.Provisioning/ListCertificates", roles: [.provision, .devices], .idempotent, takesTurns: true)
    package static let getAuthorities = DaemonMethod<Assay_V1_GetAuthoritiesRequest, Assay_V1_GetAuthoritiesResponse>(
        "/assay.v1.Provisioning/GetAuthorities", roles: Set(Role.allCases), .idempotent)
    package static let getRevocationList = DaemonMethod<Assay_V1_GetRevocationListRequest, Assay_V1_RevocationList>(
        "/assay.v1.Provisioning/GetRevocationList", roles: Set(Role.allCases), .idempotent)
    package static let provisionDevice = AppMethod<Assay_V1_ProvisionDeviceRequest, Assay_V1_ProvisionDeviceResponse>(
        "/assay.v1.Provisioning/ProvisionDevice", roles: [.fleet], .idempotentWithKey)
    package static let addEnrolments = AppMethod<Assay_V1_AddEnrolmentsRequest, Assay_V1_AddEnrolmentsResponse>(
        "/assay.v1.Provisioning/AddEnrolments", roles: [.enrol], .notIdempotent)
    package static let readmitDevice = AppMethod<Assay_V1_ReadmitDeviceRequest, Assay_V1_ReadmitDeviceResponse>(
        "/assay.v1.Provisioning/ReadmitDevice", roles: [.enrol], .notIdempotent)
    package static let removeEnrolment = AppMethod<Assay_V1_RemoveEnrolmentRequest, Assay_V1_RemoveEnrolmentResponse>(
        "/assay.v1.Provisioning/RemoveEnrolment", roles: [.enrol], .notIdempotent)
    package static let listEnrolments = AppMethod<Assay_V1_ListEnrolmentsRequest, Assay_V1_ListEnrolmentsResponse>(
        "/assay.v1.Provisioning/ListEnrolments", roles: [.enrol], .idempotent, takesTurns: true)

    // MARK: assay.v1.Results

    package static let getResultKeys = DaemonMethod<Assay_V1_GetResultKeysRequest, Assay_V1_GetResultKeysResponse>(
        "/assay.v1.Results/GetKeys", roles: Set(Role.allCases), .idempotent)
    package static let listResultKeys = DaemonMethod<Assay_V1_ListResultKeysRequest, Assay_V1_ListResultKeysResponse>(
        "/assay.v1.Results/ListKeys", roles: [.observe], .idempotent)
    package static let rotateResultKey = DaemonMethod<Assay_V1_RotateResultKeyRequest, Assay_V1_ResultKey>(
        "/assay.v1.Results/Rotate", roles: [.operate], .notIdempotent, concernsAllApps: true)
    package static let getStatusList = DaemonMethod<Assay_V1_GetStatusListRequest, Assay_V1_GetStatusListResponse>(
        "/assay.v1.Results/GetStatusList", roles: Set(Role.allCases), .idempotent)

    // MARK: assay.v1.Uploads

    package static let beginUpload = AppMethod<Assay_V1_BeginUploadRequest, Assay_V1_Upload>(
        "/assay.v1.Uploads/Begin", roles: [.verify], .idempotentWithKey)
    package static let putChunks = AppMethod<Assay_V1_PutChunksRequest, Assay_V1_Upload>(
        "/assay.v1.Uploads/PutChunks", roles: [.verify], .idempotent)
    package static let finalizeUpload = AppMethod<Assay_V1_FinalizeUploadRequest, Assay_V1_Upload>(
        "/assay.v1.Uploads/Finalize", roles: [.verify], .idempotent)
    package static let getUpload = AppMethod<Assay_V1_GetUploadRequest, Assay_V1_Upload>(
        "/assay.v1.Uploads/Get", roles: [.verify], .idempotent)
    package static let abortUpload = AppMethod<Assay_V1_AbortUploadRequest, Assay_V1_AbortUploadResponse>(
        "/assay.v1.Uploads/Abort", roles: [.verify], .notIdempotent)

    package static let all: [any APIMethod] = [
        issueChallenge, verify, prepare, getDevice, listDevices, block, unblock, listBlocks, flagDevice, unflagDevice,
        forgetDevice, importDevices,
        status, metrics, watch, whoAmI, createKey, listKeys, revokeKey, listWebhooks, resendWebhook,
        readAudit, getAuditClaims, forgetAuditClaims, listFeeds, readFeed, loadFeed, listPlugins, enablePlugin, disablePlugin,
        reloadPlugins,
        listQuarantine, readQuarantine, releaseQuarantine, issueCertificate,
        renewCertificate, revokeCertificate, getCertificate, listCertificates, getAuthorities, getRevocationList,
        provisionDevice, addEnrolments, readmitDevice, removeEnrolment, listEnrolments, listVerdicts, getVerdict,
        findVerdicts,
        listPolicies, getPolicy, listRecordings, deleteRecordings, listDifferences,
        getResultKeys, listResultKeys, rotateResultKey, getStatusList,
        beginUpload, putChunks, finalizeUpload, getUpload, abortUpload,
    ]
}

extension Assay_V1_IssueChallengeRequest: AppRequest {}
extension Assay_V1_VerifyRequest: AppRequest {}
extension Assay_V1_PrepareRequest: AppRequest {}
extension Assay_V1_GetDeviceRequest: AppRequest {}
extension Assay_V1_ListDevicesRequest: AppRequest {}
extension Assay_V1_BlockRequest: AppRequest {}
extension Assay_V1_UnblockRequest: AppRequest {}
extension Assay_V1_ListBlocksRequest: AppRequest {}
extension Assay_V1_FlagDeviceRequest: AppRequest {}
extension Assay_V1_UnflagDeviceRequest: AppRequest {}
extension Assay_V1_ForgetDeviceRequest: AppRequest {}
extension Assay_V1_ImportDevicesRequest: AppRequest {}
extension Assay_V1_ReadAuditRequest: AppRequest {}
extension Assay_V1_ListVerdictsRequest: AppRequest {}
extension Assay_V1_FindVerdictsRequest: AppRequest {}
extension Assay_V1_ListPoliciesRequest: AppRequest {}
extension Assay_V1_ListRecordingsRequest: AppRequest {}
extension Assay_V1_DeleteRecordingsRequest: AppRequest {}
extension Assay_V1_ListDifferencesRequest: AppRequest {}
extension Assay_V1_GetAuditClaimsRequest: AppRequest {}
extension Assay_V1_ForgetAuditClaimsRequest: AppRequest {}
extension Assay_V1_IssueCertificateRequest: AppRequest {}
extension Assay_V1_RenewCertificateRequest: AppRequest {}
extension Assay_V1_RevokeCertificateRequest: AppRequest {}
extension Assay_V1_GetCertificateRequest: AppRequest {}
extension Assay_V1_ListCertificatesRequest: AppRequest {}
extension Assay_V1_ProvisionDeviceRequest: AppRequest {}
extension Assay_V1_AddEnrolmentsRequest: AppRequest {}
extension Assay_V1_ReadmitDeviceRequest: AppRequest {}
extension Assay_V1_RemoveEnrolmentRequest: AppRequest {}
extension Assay_V1_ListEnrolmentsRequest: AppRequest {}
extension Assay_V1_BeginUploadRequest: AppRequest {}
extension Assay_V1_PutChunksRequest: AppRequest {}
extension Assay_V1_FinalizeUploadRequest: AppRequest {}
extension Assay_V1_GetUploadRequest: AppRequest {}
extension Assay_V1_AbortUploadRequest: AppRequest {}
