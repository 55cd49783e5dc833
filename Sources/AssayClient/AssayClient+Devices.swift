public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// The target of a block.
public enum BlockSubject: Hashable, Sendable {
    case device(DeviceID)
    /// The subject of the caller's requests, such as an account, 1 to 256 bytes.
    case subject([UInt8])
    /// The platform's key id.
    case key([UInt8])
}

/// The device registry, for callers with the role `devices`.
extension AssayClient {
    /// One page of an app's devices, in the order of registration. Continue with the token until it is empty; a page before the last may
    /// have few devices, or none.
    ///
    /// - Parameters:
    ///   - serial: only the device that was provisioned last under this serial number of a fleet; empty: all.
    ///   - flag: only devices on which this flag stands; empty: all.
    public func devices(
        app: AppID, subject: [UInt8] = [], state: Assay_V1_Device.State = .unspecified, serial: String = "",
        flag: String = "", pageSize: UInt32 = 0, pageToken: [UInt8] = [], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListDevicesResponse {
        try await call(
            API.listDevices,
            .with {
                $0.app = app.text
                $0.subject = Data(subject)
                $0.state = state
                $0.deviceSerial = serial
                $0.flag = flag
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// Blocks the target, registered or not, until it is unblocked. `reason` is for operators.
    public func block(
        _ target: BlockSubject, app: AppID, reason: String, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_BlockResponse {
        try await call(
            API.block,
            .with {
                $0.app = app.text
                $0.target = target.message
                $0.reason = reason
            }, timeout)
    }

    /// Removes the block of exactly this target.
    public func unblock(
        _ target: BlockSubject, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_UnblockResponse {
        try await call(
            API.unblock,
            .with {
                $0.app = app.text
                $0.target = target.message
            }, timeout)
    }

    /// One page of an app's blocks, ordered by kind and target. Continue with the token until it is empty.
    public func blocks(
        app: AppID, kind: Assay_V1_Device.Block.Kind = .unspecified, pageSize: UInt32 = 0, pageToken: [UInt8] = [],
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ListBlocksResponse {
        try await call(
            API.listBlocks,
            .with {
                $0.app = app.text
                if kind != .unspecified { $0.kind = kind }
                $0.pageSize = pageSize
                $0.pageToken = Data(pageToken)
            }, timeout)
    }

    /// The block of exactly this target; `nil` if there is none. A device may still be blocked by its subject or key: its record says
    /// so.
    public func findBlock(
        of target: BlockSubject, app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_BlockRecord? {
        let response = try await call(
            API.listBlocks,
            .with {
                $0.app = app.text
                $0.target = target.message
            }, timeout)
        return response.blocks.first
    }

    /// Sets a flag of the caller on a device, which blocks nothing: the app's policy decides what follows.
    ///
    /// - Parameters:
    ///   - name: `[a-z0-9_]{1,32}`.
    ///   - reason: for operators, at most 256 bytes.
    ///   - end: until when it stands, at most 400 days ahead; `nil`: for 400 days.
    public func flag(
        _ id: DeviceID, _ name: String, app: AppID, reason: String = "", until end: Timestamp? = nil,
        timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_FlagDeviceResponse {
        try await call(
            API.flagDevice,
            .with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
                $0.flag = name
                $0.reason = reason
                $0.untilUnixMs = end?.unixMilliseconds ?? 0
            }, timeout)
    }

    /// Clears the flags of a name on a device, those of plugins and other callers included.
    ///
    /// - Parameter reason: for the audit log, at most 256 bytes.
    public func unflag(
        _ id: DeviceID, _ name: String, app: AppID, reason: String = "", timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_UnflagDeviceResponse {
        try await call(
            API.unflagDevice,
            .with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
                $0.flag = name
                $0.reason = reason
            }, timeout)
    }

    /// Removes the record of a device. If it was blocked, its key stays blocked.
    ///
    /// - Parameter reason: for the audit log, at most 256 bytes.
    public func forget(
        _ id: DeviceID, app: AppID, reason: String = "", timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ForgetDeviceResponse {
        try await call(
            API.forgetDevice,
            .with {
                $0.app = app.text
                $0.deviceID = Data(id.bytes)
                $0.reason = reason
            }, timeout)
    }

    /// Registers devices that were attested elsewhere, 1 to 200 of them. One result for each, in order. A repeated import changes
    /// nothing.
    public func importDevices(
        _ devices: [Assay_V1_ImportedDevice], app: AppID, timeout: Duration? = nil
    ) async throws(AssayError) -> [Assay_V1_ImportDevicesResponse.Result] {
        let response = try await call(
            API.importDevices,
            .with {
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
