/// Who may provision devices of fleets, and which devices were.
///
/// - Each change is durable on return and recorded in the audit log in the same transaction.
/// - Of entries for one serial number, one secret or one token that are provisioned concurrently, exactly one is `.provisioned`.
public protocol EnrolmentRegistry: Sendable {
    /// Adds permissions. One outcome for each, in order: false if one with the same permit is on record, used or not.
    func add(_ enrolments: [Enrolment], _ context: ChangeContext) async throws(LedgerError) -> [Bool]

    /// Removes an unused permission. False if there is none.
    func removeEnrolment(_ permit: Enrolment.Permit, of app: AppID, _ context: ChangeContext) async throws(LedgerError) -> Bool

    /// A page of permissions of one app, used ones included, in the order in which they were added.
    func enrolments(_ listing: EnrolmentListing) async throws(LedgerError) -> EnrolmentPage

    /// The device with a serial number; `nil` if none was provisioned.
    func fleetDevice(serial: [UInt8], app: AppID) async throws(LedgerError) -> FleetDevice?

    /// The device that was provisioned under an idempotency key; `nil` if there is none.
    ///
    /// - Parameter key: as `FleetDevice.idempotency` has it, 32 bytes.
    func fleetDevice(idempotencyKey key: [UInt8]) async throws(LedgerError) -> FleetDevice?

    /// Provisions a device: checks the permission, uses it, registers the device and adds its certificate, all together or not at all.
    ///
    /// Checks in this order, and refuses for the first failure: serial number and secret not provisioned before, and neither key nor
    /// id of the device registered (`already_provisioned`), the idempotency key new (`idempotency_key_reused`), the device's key not
    /// blocked (`device_blocked`), a permission for the serial number or the token that is
    /// unused, has not expired and fits the family (`not_enrolled`), the certificate's key not certified before
    /// (`key_already_certified`) and its serial number new (`certificate_serial_taken`).
    func provision(_ entry: FleetEntry) async throws(LedgerError) -> FleetOutcome
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
