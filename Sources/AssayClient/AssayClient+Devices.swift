public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// What a block is about.
public enum BlockSubject: Hashable, Sendable {
    case device(DeviceID)
    /// The caller's account or user, 1 to 256 bytes.
    case subject([UInt8])
    /// The platform's key id.
    case key([UInt8])
}

/// The registry, for callers with the role `devices`.
extension AssayClient {
    /// One page of an app's devices, in the order of registration. Go on with the token until it is empty; a page may
    /// have few devices, or none, before that.
    public func devices(
        app: AppID, subject: [UInt8] = [], state: Assay_V1_Device.State = .unspecified, pageSize: UInt32 = 0,
        pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListDevicesResponse {
        try await call(
            "/assay.v1.Devices/List", .idempotent,
            Assay_V1_ListDevicesRequest.with {
                $0.app = app.text
                $0.subject = Data(subject)
                $0.state = state
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// Refuses what the target names, registered or not, until it is unblocked. `reason` is for operators.
    public func block(
        _ target: BlockSubject, app: AppID, reason: String, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_BlockResponse {
        try await call(
            "/assay.v1.Devices/Block", .idempotent,
            Assay_V1_BlockRequest.with {
                $0.app = app.text
                $0.target = target.message
                $0.reason = reason
            }, timeout)
    }

    /// Lifts the block of exactly this target.
    public func unblock(
        _ target: BlockSubject, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_UnblockResponse {
        try await call(
            "/assay.v1.Devices/Unblock", .notIdempotent,
            Assay_V1_UnblockRequest.with {
                $0.app = app.text
                $0.target = target.message
            }, timeout)
    }

    /// One page of what is blocked in an app, registered or not, by kind and by what it is about. Go on with the token
    /// until it is empty.
    public func blocks(
        app: AppID, kind: Assay_V1_Device.Block.Kind = .unspecified, pageSize: UInt32 = 0, pageToken: [UInt8] = [],
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListBlocksResponse {
        try await call(
            "/assay.v1.Devices/ListBlocks", .idempotent,
            Assay_V1_ListBlocksRequest.with {
                $0.app = app.text
                if kind != .unspecified { $0.kind = kind }
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// The block of exactly this target; `nil` if there is none. A device without one can be blocked by its subject or
    /// key: its record tells.
    public func findBlock(
        of target: BlockSubject, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_BlockRecord? {
        let response: Assay_V1_ListBlocksResponse = try await call(
            "/assay.v1.Devices/ListBlocks", .idempotent,
            Assay_V1_ListBlocksRequest.with {
                $0.app = app.text
                $0.target = target.message
            }, timeout)
        return response.blocks.first
    }

    /// Removes the record of a device. If it was blocked, its key stays blocked.
    /// `reason`: for the audit log, at most 256 bytes.
    public func forget(
        _ id: DeviceID, app: AppID, reason: String = "", timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ForgetDeviceResponse {
        try await call(
            "/assay.v1.Devices/Forget", .notIdempotent,
            Assay_V1_ForgetDeviceRequest.with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
                $0.reason = reason
            }, timeout)
    }

    /// Puts devices on record that were attested elsewhere, 1 to 200 of them. One result for each, in order. Repeating it
    /// changes nothing.
    public func importDevices(
        _ devices: [Assay_V1_ImportedDevice], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> [Assay_V1_ImportDevicesResponse.Result] {
        let response: Assay_V1_ImportDevicesResponse = try await call(
            "/assay.v1.Devices/Import", .idempotent,
            Assay_V1_ImportDevicesRequest.with {
                $0.app = app.text
                $0.devices = devices
            }, timeout)
        return response.results
    }
}

extension BlockSubject {
    fileprivate var message: Assay_V1_BlockTarget {
        .with {
            switch self {
            case .device(let id): $0.deviceID = Data(id.bytes)
            case .subject(let bytes): $0.subject = Data(bytes)
            case .key(let bytes): $0.keyID = Data(bytes)
            }
        }
    }
}
