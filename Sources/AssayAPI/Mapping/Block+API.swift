public import AssayCore
import Foundation
import SwiftProtobuf

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
