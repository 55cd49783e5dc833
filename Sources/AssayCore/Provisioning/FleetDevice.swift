/// A device of a fleet that was provisioned. The record outlives its device, so that no serial number and no secret is provisioned
/// twice.
public struct FleetDevice: Hashable, Sendable {
    /// The claims of the device's registration that hold its serial number and family.
    package static let serialClaim = "device_serial"
    package static let familyClaim = "device_family"

    public let app: AppID
    /// The serial number that the manufacturer gave, 1 to 255 characters, compared as bytes.
    public let serial: [UInt8]
    public let device: DeviceID
    /// The keyed hash of the device secret, 32 bytes: the key id of the device's record.
    public let secretHash: [UInt8]
    /// The numbers of its three key tables, in the order of the answer.
    public let tables: [UInt16]
    public let certificate: CertificateName
    /// SHA-256 over caller, app and the caller's idempotency key, 32 bytes; empty if there was none.
    public let idempotency: [UInt8]
    /// A keyed digest of all fields of the request, 32 bytes.
    public let request: [UInt8]
    public let provisionedAt: Timestamp
    /// The time at which another device was provisioned under the serial number; `nil` for the present device.
    public var supersededAt: Timestamp?

    public init(
        app: AppID, serial: [UInt8], device: DeviceID, secretHash: [UInt8], tables: [UInt16], certificate: CertificateName,
        idempotency: [UInt8], request: [UInt8], provisionedAt: Timestamp, supersededAt: Timestamp? = nil
    ) {
        (self.app, self.serial, self.device, self.secretHash) = (app, serial, device, secretHash)
        (self.tables, self.certificate, self.idempotency) = (tables, certificate, idempotency)
        (self.request, self.provisionedAt, self.supersededAt) = (request, provisionedAt, supersededAt)
    }
}

/// A permission to provision one device.
public struct Enrolment: Hashable, Sendable {
    public let app: AppID
    public let permit: Permit
    /// Only devices of this family; empty: of any.
    public let family: String
    public let createdAt: Timestamp
    /// The permission ends at this time; `nil`: never.
    public let expiry: Timestamp?
    /// The device that used it; `nil` as long as it is unused.
    public var usedBy: DeviceID?
    /// The device that is replaced when the permission is used: the serial number is readmitted. It stays after the use. `nil` for other
    /// permissions.
    public var replaces: DeviceID?

    /// What a permission names. Kinds are stored.
    public enum Permit: Hashable, Sendable {
        /// A serial number on the allow-list.
        case serial([UInt8])
        /// SHA-256 of a one-time token, 32 bytes.
        case token([UInt8])

        /// 1 for a serial number, 2 for a token.
        public var kind: UInt8 {
            switch self {
            case .serial: 1
            case .token: 2
            }
        }

        public var bytes: [UInt8] {
            switch self {
            case .serial(let bytes), .token(let bytes): bytes
            }
        }

        /// `nil` for an unknown kind.
        public init?(kind: UInt8, bytes: [UInt8]) {
            switch kind {
            case 1: self = .serial(bytes)
            case 2: self = .token(bytes)
            default: return nil
            }
        }
    }

    public init(
        app: AppID, permit: Permit, family: String = "", createdAt: Timestamp, expiry: Timestamp? = nil,
        usedBy: DeviceID? = nil, replaces: DeviceID? = nil
    ) {
        (self.app, self.permit, self.family) = (app, permit, family)
        (self.createdAt, self.expiry, self.usedBy, self.replaces) = (createdAt, expiry, usedBy, replaces)
    }

    /// The permission for a readmission.
    ///
    /// - Parameter device: the present one.
    public init(_ readmission: Readmission, replacing device: DeviceID, at time: Timestamp) {
        self.init(
            app: readmission.app, permit: .serial(readmission.serial), family: readmission.family, createdAt: time,
            expiry: readmission.expiry, replaces: device)
    }

    /// True if the permission has an end, and `time` is not before it.
    public func hasExpired(at time: Timestamp) -> Bool { expiry.map { $0 <= time } ?? false }

    /// True if another device may be provisioned in place of this one: the permission is an unused readmission. Its expiry and family are
    /// not compared.
    public func readmits(_ device: FleetDevice) -> Bool { usedBy == nil && replaces == device.device }
}
