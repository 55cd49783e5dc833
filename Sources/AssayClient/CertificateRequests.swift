public import AssayAPI
public import AssayCore
import Foundation
import SwiftProtobuf

/// A request for a device certificate: evidence under a PROVISION challenge, and the key to be certified.
public struct IssuanceRequest: Hashable, Sendable {
    /// The key to be certified. Nothing else of a certificate signing request is used: names come from the device's record.
    public enum RequestedKey: Hashable, Sendable {
        /// A PKCS #10 certificate signing request (DER), which proves possession of the key. At most 16 KiB.
        case csr([UInt8])
        /// A SubjectPublicKeyInfo (DER), only for a key that the evidence attests. At most 1 KiB.
        case publicKey([UInt8])
    }

    /// The payload that the device bound in its client data.
    public enum BoundPayload: Hashable, Sendable {
        /// The certificate signing request. Evidence that does not attest the key itself, such as that of App Attest, must bind it:
        /// `ClientData.provisioning(challenge:csr:)`.
        case csr
        /// Another payload, by its SHA-256, 32 bytes.
        case digest([UInt8])
        case none
    }

    public var app: AppID
    /// Issued for the purpose PROVISION.
    public var challenge: [UInt8]
    /// The context that the challenge was issued for.
    public var context: [UInt8]
    /// 1 to 4 pieces. One registers a device, or comes from a registered one.
    public var evidence: [Evidence]
    public var key: RequestedKey
    public var payload: BoundPayload
    /// The caller's account or user; empty if none is named.
    public var subject: [UInt8]
    public var expectedDevice: DeviceID?
    /// At most 64 bytes. Empty: the client makes one for each call.
    public var idempotencyKey: [UInt8]

    public init(
        app: AppID, challenge: [UInt8], context: [UInt8] = [], evidence: [Evidence], key: RequestedKey,
        payload: BoundPayload = .csr, subject: [UInt8] = [], expectedDevice: DeviceID? = nil, idempotencyKey: [UInt8] = []
    ) {
        (self.app, self.challenge, self.context) = (app, challenge, context)
        (self.evidence, self.key, self.payload) = (evidence, key, payload)
        (self.subject, self.expectedDevice, self.idempotencyKey) = (subject, expectedDevice, idempotencyKey)
    }

    /// The message that a client sends.
    public var message: Assay_V1_IssueCertificateRequest {
        .with {
            $0.app = app.text
            $0.challenge = Data(challenge)
            $0.context = Data(context)
            $0.evidence = evidence.compactMap(\.message)
            switch key {
            case .csr(let bytes): $0.csr = Data(bytes)
            case .publicKey(let bytes): $0.publicKey = Data(bytes)
            }
            $0.payloadSha256 = Data(payloadHash)
            $0.subject = Data(subject)
            $0.expectedDeviceID = Data(expectedDevice?.bytes ?? [])
            $0.idempotencyKey = Data(idempotencyKey)
        }
    }

    /// 32 bytes, or none. A bare public key has no request to bind.
    private var payloadHash: [UInt8] {
        switch (payload, key) {
        case (.csr, .csr(let bytes)): ClientData.payloadHash(bytes)
        case (.digest(let digest), _): digest
        case (.csr, .publicKey), (.none, _): []
        }
    }
}

/// A request for a certificate of a new key, signed by the key of the current certificate under a RENEW challenge.
public struct RenewalRequest: Hashable, Sendable {
    public var app: AppID
    /// Issued for the purpose RENEW.
    public var challenge: [UInt8]
    /// The context that the challenge was issued for.
    public var context: [UInt8]
    /// SHA-256 of the current key's SubjectPublicKeyInfo, 32 bytes.
    public var keyID: [UInt8]
    public var algorithm: KeySignatureAlgorithm
    /// By the key of the current certificate over `ClientData.renewal(challenge:csr:)`; ECDSA in DER.
    public var signature: [UInt8]
    /// A PKCS #10 certificate signing request (DER) of a new key, at most 16 KiB.
    public var csr: [UInt8]
    public var subject: [UInt8]
    public var expectedDevice: DeviceID?
    /// At most 64 bytes. Empty: the client makes one for each call.
    public var idempotencyKey: [UInt8]

    public init(
        app: AppID, challenge: [UInt8], context: [UInt8] = [], keyID: [UInt8],
        algorithm: KeySignatureAlgorithm = .ecdsaP256SHA256, signature: [UInt8], csr: [UInt8], subject: [UInt8] = [],
        expectedDevice: DeviceID? = nil, idempotencyKey: [UInt8] = []
    ) {
        (self.app, self.challenge, self.context) = (app, challenge, context)
        (self.keyID, self.algorithm, self.signature, self.csr) = (keyID, algorithm, signature, csr)
        (self.subject, self.expectedDevice, self.idempotencyKey) = (subject, expectedDevice, idempotencyKey)
    }

    /// The message that a client sends.
    public var message: Assay_V1_RenewCertificateRequest {
        .with {
            $0.app = app.text
            $0.challenge = Data(challenge)
            $0.context = Data(context)
            $0.signature = .with {
                $0.keyID = Data(keyID)
                $0.algorithm = Assay_V1_KeySignature.Algorithm(rawValue: Int(algorithm.rawValue)) ?? .unspecified
                $0.signature = Data(signature)
            }
            $0.csr = Data(csr)
            $0.subject = Data(subject)
            $0.expectedDeviceID = Data(expectedDevice?.bytes ?? [])
            $0.idempotencyKey = Data(idempotencyKey)
        }
    }
}

/// A device of a fleet to be provisioned, for apps whose configuration has a fleet.
public struct FleetDeviceRequest: Hashable, Sendable {
    public var app: AppID
    /// The serial number that the manufacturer gave, 1 to 255 characters.
    public var serial: String
    /// At most 64 characters; may be empty.
    public var family: String
    /// 32 bytes; empty: Assay makes one.
    public var secret: [UInt8]
    /// A PKCS #10 certificate signing request (DER) of a P-256 key. Empty only where the configuration allows it: Assay makes the key.
    public var csr: [UInt8]
    /// A one-time enrolment token. Empty: the serial number must be on the allow-list.
    public var token: String
    /// At most 64 bytes. Empty: the client makes one for each call, and an answer that is lost for good cannot be asked for again. With a
    /// key of your own, such as one derived from the serial number, it can.
    public var idempotencyKey: [UInt8]

    public init(
        app: AppID, serial: String, family: String = "", secret: [UInt8] = [], csr: [UInt8], token: String = "",
        idempotencyKey: [UInt8] = []
    ) {
        (self.app, self.serial, self.family, self.secret) = (app, serial, family, secret)
        (self.csr, self.token, self.idempotencyKey) = (csr, token, idempotencyKey)
    }

    /// The message that a client sends.
    public var message: Assay_V1_ProvisionDeviceRequest {
        .with {
            $0.app = app.text
            $0.deviceSerial = serial
            $0.deviceFamily = family
            $0.deviceSecret = Data(secret)
            $0.csr = Data(csr)
            $0.enrolmentToken = token
            $0.idempotencyKey = Data(idempotencyKey)
        }
    }
}
