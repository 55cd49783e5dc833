/// Who may provision devices of fleets, and which devices were.
///
/// - Each change is durable on return and recorded in the audit log in the same transaction.
/// - Of entries for one serial number, one secret or one token that are provisioned concurrently, exactly one is `.provisioned`.
/// - A serial number has at most one record that is not superseded. A secret is provisioned once, whatever became of its record.
public protocol EnrolmentRegistry: Sendable {
    /// Adds permissions. One outcome for each, in order: false if one with the same permit is on record, used or not.
    func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool]

    /// Removes an unused permission. False if there is none. A readmission that is removed leaves the permission as used by the device
    /// that it would have replaced.
    func removeEnrolment(_ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext) async throws(LedgerError) -> Bool

    /// A page of permissions of one app, used ones included, in the order in which they were added.
    func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage

    /// The permission with a permit, used or not; `nil` if there is none.
    func enrolment(_ permit: Enrolment.Permit, of app: AppID) async throws(LedgerError) -> Enrolment?

    /// Readmits a serial number: one more device may be provisioned under it, in place of the present one.
    ///
    /// The permission for the serial number becomes unused again, or is added, and names the device that it replaces. That device and its
    /// certificates stay as they are until the provisioning. No change if an unused readmission has not expired.
    func readmit(_ readmission: Readmission, _ context: ChangeContext) async throws(LedgerError) -> ReadmissionOutcome

    /// The record of a serial number that is not superseded; `nil` if no device was provisioned under it.
    func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice?

    /// The device that was provisioned under an idempotency key, its record superseded or not; `nil` if there is none.
    ///
    /// - Parameter key: as `FleetDevice.idempotency` has it, 32 bytes.
    func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice?

    /// Provisions a device: checks the permission, uses it, registers the device and adds its certificate, all together or not at all.
    ///
    /// Checks in this order, and refuses for the first failure: serial number not provisioned before, unless the permission for it is an
    /// unused readmission and the entry has no token, secret not provisioned before, and neither key nor
    /// id of the device registered (`already_provisioned`), the idempotency key new (`idempotency_key_reused`), neither the device's key
    /// nor the device that it replaces blocked (`device_blocked`), a permission for the serial number or the token that is
    /// unused, has not expired and fits the family (`not_enrolled`), the certificate's key not certified before
    /// (`key_already_certified`) and its serial number new (`certificate_serial_taken`).
    ///
    /// A device that replaces another removes the other's registration as `DeviceRegistry.forget` does, except that its certificates are
    /// revoked as `superseded`, and that its stored verdicts, which are void, and the claims beside its audit records stay. Its record is
    /// superseded. A serial number counts as blocked while the registered device is, or the key of any device that was provisioned under it.
    func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome
}

/// The serial number to readmit, and what the permission for it says.
public struct Readmission: Hashable, Sendable {
    public let app: AppID
    public let serial: [UInt8]
    /// Only a device of this family; empty: of any.
    public let family: String
    /// The readmission ends at this time; `nil`: never.
    public let expiry: Timestamp?

    public init(app: AppID, serial: [UInt8], family: String = "", expiry: Timestamp? = nil) {
        (self.app, self.serial, self.family, self.expiry) = (app, serial, family, expiry)
    }
}

/// The result of a readmission.
public enum ReadmissionOutcome: Hashable, Sendable {
    /// Durable: this permission is in force.
    case readmitted(Enrolment)
    /// No change: the serial number was readmitted before, and this permission is unused.
    case pending(Enrolment)
    /// No change: no device was provisioned under the serial number.
    case notProvisioned
    /// No change: the device is blocked, or the key of a device that was provisioned under the serial number is.
    case blocked
}

/// All changes of one provisioning of a fleet's device.
public struct FleetEntry: Hashable, Sendable {
    public let device: Device
    public let certificate: DeviceCertificate
    public let record: FleetDevice
    /// The device's family, as the request named it.
    public let family: String
    /// SHA-256 of the enrolment token of the request; `nil`: the serial number has to be on the allow-list.
    public let token: [UInt8]?
    public let context: ChangeContext

    public init(
        device: Device, certificate: DeviceCertificate, record: FleetDevice, family: String, token: [UInt8]?,
        context: ChangeContext
    ) {
        (self.device, self.certificate, self.record) = (device, certificate, record)
        (self.family, self.token, self.context) = (family, token, context)
    }
}

/// The result of a provisioning.
public enum FleetOutcome: Hashable, Sendable {
    /// Applied and durable.
    case provisioned
    /// Not applied.
    case refused(ReasonCode)
}

/// A query for a page of permissions of one app.
public struct EnrolmentListing: Hashable, Sendable {
    public let app: AppID
    /// Only used ones, or only unused ones; `nil`: both.
    public let isUsed: Bool?
    /// `EnrolmentPage.next` of the page before; 0 for the first page.
    public var position: Int64
    public let limit: Int

    public init(app: AppID, isUsed: Bool? = nil, position: Int64 = 0, limit: Int) {
        (self.app, self.isUsed, self.position, self.limit) = (app, isUsed, position, limit)
    }
}

/// A page of permissions. May be short or empty although more pages follow.
public struct EnrolmentPage: Hashable, Sendable {
    public let enrolments: [Enrolment]
    /// The position of the next page; `nil` on the last.
    public let next: Int64?

    public init(enrolments: [Enrolment], next: Int64?) { (self.enrolments, self.next) = (enrolments, next) }
}
