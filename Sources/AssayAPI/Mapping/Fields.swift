public import AssayCore
public import SwiftProtobuf

extension AppID {
    /// The `app` field of a request.
    public init(field text: String) throws(RequestError) {
        guard let app = AppID(text) else { throw RequestError("app", "must be of the form [a-z0-9._-]{1,64}") }
        self = app
    }
}

extension DeviceID {
    /// A device id field: 16 bytes.
    public init(field name: String, _ bytes: some Collection<UInt8>) throws(RequestError) {
        guard let id = DeviceID(bytes: Array(bytes)) else {
            throw RequestError(name, "must have \(DeviceID.length) bytes, not \(bytes.count)")
        }
        self = id
    }
}

extension DeviceID? {
    /// A device id field that may be left empty.
    init(field name: String, optional bytes: some Collection<UInt8>) throws(RequestError) {
        self = bytes.isEmpty ? nil : try DeviceID(field: name, bytes)
    }
}

extension Collection<UInt8> {
    /// The bytes; throws if there are more than `limit`.
    public func bounded(_ field: String, by limit: Int) throws(RequestError) -> [UInt8] {
        guard count <= limit else { throw RequestError(field, "must have at most \(limit) bytes, not \(count)") }
        return Array(self)
    }
}

extension SwiftProtobuf.Message {
    /// For a message with a choice in which no known field is set: throws if the message has unknown fields, since one of them could be
    /// the choice of a later version.
    public func refuseUnknown(_ field: String) throws(RequestError) {
        guard unknownFields.data.isEmpty else {
            throw RequestError(field, "must hold nothing that this version does not know")
        }
    }
}
