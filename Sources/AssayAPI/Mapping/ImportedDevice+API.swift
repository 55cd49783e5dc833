public import AssayCore
import Foundation
import SwiftProtobuf

extension ImportedDevice {
    /// The most devices in one request.
    public static let batchLimit = 200
    /// The longest texts in bytes of UTF-8, and the longest public key in bytes.
    private static let appLimit = 255
    private static let environmentLimit = 32
    private static let keyLimit = 133

    /// A device of an import request. Sizes are checked here; the verifier's importer checks the key.
    public init(_ message: Assay_V1_ImportedDevice) throws(RequestError) {
        guard case .appAttest(let key)? = message.key else {
            throw RequestError("devices.key", "must be a key of a kind that can be imported")
        }
        try key.appID.check("devices.app_attest.app_id", limit: Self.appLimit)
        try key.environment.check("devices.app_attest.environment", limit: Self.environmentLimit)
        self.init(
            format: .appAttestAttestation,
            publicKey: try key.publicKey.bounded("devices.app_attest.public_key", by: Self.keyLimit),
            keyID: try key.keyID.bounded("devices.app_attest.key_id", by: DeviceKey.keyIDLimit), platformApp: key.appID,
            environment: key.environment, counter: key.counter)
    }

    /// The message of an App Attest key; `subject` is an account or user of the caller, or empty.
    public func message(subject: [UInt8]) -> Assay_V1_ImportedDevice {
        .with {
            $0.subject = Data(subject)
            $0.appAttest = .with {
                $0.publicKey = Data(publicKey)
                $0.keyID = Data(keyID)
                $0.appID = platformApp
                $0.environment = environment
                $0.counter = counter
            }
        }
    }
}

extension String {
    /// Throws unless the text has at most `limit` bytes.
    public func check(_ field: String, limit: Int) throws(RequestError) {
        guard utf8.count <= limit else {
            throw RequestError(field, "must have at most \(limit) bytes, not \(utf8.count)")
        }
    }
}
