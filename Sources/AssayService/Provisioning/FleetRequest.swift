import AssayAPI
import AssayCore
import Foundation

/// A request to provision a device of a fleet, parsed and within its limits.
struct FleetRequest: Hashable, Sendable {
    /// The longest serial number, in characters.
    static let serialLimit = 255
    static let familyLimit = 64
    /// The longest enrolment token, in bytes.
    static let tokenLimit = 128

    let serialText: String
    let family: String
    /// 32 bytes; `nil`: one is made.
    let secret: [UInt8]?
    /// DER; `nil`: the key is made, where the app allows it.
    let csr: [UInt8]?
    let token: [UInt8]?
    let idempotencyKey: [UInt8]

    /// The serial number as it is compared.
    var serial: [UInt8] { Array(serialText.utf8) }

    init(_ message: Assay_V1_ProvisionDeviceRequest) throws(RequestError) {
        serialText = try Self.serial(message.deviceSerial)
        family = message.deviceFamily
        guard family.unicodeScalars.count <= Self.familyLimit else {
            throw RequestError("device_family", "must have at most \(Self.familyLimit) characters")
        }
        try family.checkVisible("device_family")
        guard message.deviceSecret.isEmpty || message.deviceSecret.count == SealedSecret.secretLength else {
            throw RequestError("device_secret", "must have \(SealedSecret.secretLength) bytes or none")
        }
        secret = message.deviceSecret.isEmpty ? nil : Array(message.deviceSecret)
        csr = message.csr.isEmpty ? nil : try message.csr.csr()
        let token = try Array(message.enrolmentToken.utf8).bounded("enrolment_token", by: Self.tokenLimit)
        self.token = token.isEmpty ? nil : token
        idempotencyKey = try message.idempotencyKey.bounded("idempotency_key", by: VerificationRequest.idempotencyKeyLimit)
    }

    /// A serial number: 1 to 255 visible characters, and no white space at either end. One with an invisible character would be another device
    /// that looks like an existing one.
    static func serial(_ text: String, field: String = "device_serial") throws(RequestError) -> String {
        let characters = text.unicodeScalars
        guard (1...serialLimit).contains(characters.count) else {
            throw RequestError(field, "must have 1 to \(serialLimit) characters")
        }
        try text.checkVisible(field)
        guard [characters.first, characters.last].allSatisfy({ $0?.properties.isWhitespace == false }) else {
            throw RequestError(field, "must neither begin nor end with white space")
        }
        return text
    }

    /// The serial number by which a listing or a look-up asks; `nil`: by none. It is not checked as for a provisioning: earlier versions took
    /// serial numbers with white space at their ends.
    static func wanted(_ text: String) throws(RequestError) -> [UInt8]? {
        let serial = try Array(text.utf8).bounded("device_serial", by: 4 * serialLimit)
        return serial.isEmpty ? nil : serial
    }

    /// The claims of the device's record.
    var claims: Claims {
        var claims = Claims()
        claims.add(FleetDevice.serialClaim, .text(serialText))
        if !family.isEmpty { claims.add(FleetDevice.familyClaim, .text(family)) }
        return claims
    }

    /// Identifies a request that comes again.
    struct Identity: Hashable, Sendable {
        /// SHA-256 over caller, app and the caller's key; `nil` if there is none.
        let key: [UInt8]?
        /// A keyed digest of all other fields, since one of them is a secret.
        let request: [UInt8]
    }

    func identity(_ caller: Caller, _ app: AppID, _ secrets: FleetSecrets) -> Identity {
        var fields = FieldDigest("assay.fleet.request.v1")
        fields.append(serialText)
        fields.append(family)
        fields.append(secret ?? [])
        fields.append(csr ?? [])
        fields.append(token ?? [])
        let request = secrets.keyID(ofSecret: fields.finalize(), app: app)
        guard !idempotencyKey.isEmpty else { return Identity(key: nil, request: request) }
        let key = caller.idempotencyKey(idempotencyKey, method: API.provisionDevice.path, app: app)
        return Identity(key: key, request: request)
    }
}

extension String {
    /// Throws for a character that cannot be seen or that changes how others are shown, naming it and its place.
    func checkVisible(_ field: String) throws(RequestError) {
        guard let (place, scalar) = firstInvisible else { return }
        throw RequestError(field, "must have visible characters alone; character \(place) is \(scalar.codePoint)")
    }
}
