public import AssayCore
import Foundation
import SwiftProtobuf

extension Device {
    public var message: Assay_V1_Device {
        .with {
            $0.deviceID = Data(id.bytes)
            $0.app = app.text
            $0.format = registration.format.rawValue
            $0.keyID = Data(registration.keyID)
            $0.publicKey = Data(registration.publicKey)
            $0.environment = registration.environment
            $0.state = isBlocked ? .blocked : .active
            $0.blockReason = blocks.first?.reason ?? ""
            $0.blockedAtUnixMs = blocks.first?.since.unixMilliseconds ?? 0
            $0.blocks = blocks.map(\.message)
            $0.counter = counter
            $0.registeredAtUnixMs = registeredAt.unixMilliseconds
            $0.lastAcceptedAtUnixMs = lastAcceptedAt.unixMilliseconds
            $0.anchorSpkiSha256 = Data(registration.anchor)
            $0.claims = registration.claims.messages + exchange.claims.messages
            $0.chainSerials = registration.chainSerials.map { Data($0) }
            $0.receiptLength = UInt32(clamping: registration.receipt.count)
            $0.simulated = registration.simulated
            $0.hasSubject_p = subject != nil
            $0.imported = registration.imported
        }
    }

    /// The message in listings, without the long fields.
    public var listed: Assay_V1_Device {
        var message = message
        message.publicKey = Data()
        message.claims = []
        message.chainSerials = []
        return message
    }
}

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

extension Claims {
    public var messages: [Assay_V1_Claim] {
        all.map { claim in
            .with {
                $0.name = claim.name
                switch claim.value {
                case .text(let value): $0.text = value
                case .integer(let value): $0.integer = value
                case .boolean(let value): $0.boolean = value
                case .bytes(let value): $0.bytes = Data(value)
                case .texts(let values): $0.texts = .with { $0.values = values }
                case .time(let value): $0.timeUnixMs = value.unixMilliseconds
                }
            }
        }
    }

    /// Reads claims. A claim whose kind this version does not know is left out.
    public init(_ messages: [Assay_V1_Claim]) {
        self.init()
        for message in messages {
            switch message.value {
            case .text(let value): add(message.name, .text(value))
            case .integer(let value): add(message.name, .integer(value))
            case .boolean(let value): add(message.name, .boolean(value))
            case .bytes(let value): add(message.name, .bytes(Array(value)))
            case .texts(let list): add(message.name, .texts(list.values))
            case .timeUnixMs(let value): add(message.name, .time(Timestamp(unixMilliseconds: value)))
            case nil: continue
            }
        }
    }
}

extension BlockRecord {
    public var message: Assay_V1_BlockRecord {
        .with {
            switch target {
            case .device(let id): $0.deviceID = Data(id.bytes)
            case .subject(let hash, _): $0.subjectHash = Data(hash)
            case .key(let key): $0.keyID = Data(key.keyID)
            }
            $0.reason = reason
            $0.sinceUnixMs = since.unixMilliseconds
        }
    }
}

extension Device.Block {
    var message: Assay_V1_Device.Block {
        .with {
            $0.kind = kind.message
            $0.reason = reason
            $0.sinceUnixMs = since.unixMilliseconds
        }
    }
}

extension BlockKind {
    fileprivate var message: Assay_V1_Device.Block.Kind {
        switch self {
        case .device: .device
        case .subject: .subject
        case .key: .key
        }
    }
}

extension BlockKind? {
    /// A field that selects blocks by kind; `nil` if it is left out.
    public init(field name: String, _ kind: Assay_V1_Device.Block.Kind) throws(RequestError) {
        switch kind {
        case .unspecified: self = nil
        case .device: self = .device
        case .subject: self = .subject
        case .key: self = .key
        case .UNRECOGNIZED: throw RequestError(name, "must be DEVICE, SUBJECT, KEY or left out")
        }
    }
}
