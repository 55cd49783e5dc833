import AssayAPI
import AssayCore

/// The output form of a block, for people and for tools.
extension Assay_V1_BlockRecord {
    /// One line of a listing.
    var row: String {
        let (kind, name) =
            switch what {
            case .deviceID(let bytes): ("device", DeviceID(bytes: Array(bytes))?.description ?? Hex.encode(bytes))
            case .subjectHash(let bytes): ("subject", Hex.encode(bytes))
            case .keyID(let bytes): ("key", Base64.standard.encode(bytes))
            case nil: ("unknown", "")
            }
        return "\(kind.padded(to: 7))  \(name)  since \(Timestamp(unixMilliseconds: sinceUnixMs)): \(reason.printable)"
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "reason": reason, "since": Timestamp(unixMilliseconds: sinceUnixMs).description,
        ]
        switch what {
        case .deviceID(let bytes):
            object["by"] = "device"
            object.add(device: "device_id", bytes)
        case .subjectHash(let bytes):
            object["by"] = "subject"
            object.add(hex: "subject_hash", bytes)
        case .keyID(let bytes):
            object["by"] = "key"
            object.add(base64url: "key_id", bytes)
        case nil: object["by"] = "unknown"
        }
        return object
    }
}
