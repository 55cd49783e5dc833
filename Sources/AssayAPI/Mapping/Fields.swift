public import AssayCore
public import SwiftProtobuf

/// A request that breaks a rule of the API. It is answered INVALID_ARGUMENT, and nothing is appraised.
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as the .proto file names it.
    public let field: String
    /// What is wrong, as the end of a sentence that begins with the field.
    public let problem: String

    public init(_ field: String, _ problem: String) { (self.field, self.problem) = (field, problem) }
    public var description: String { "\(field) \(problem)" }
}

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

extension UploadID {
    /// An upload id field: 16 bytes.
    package init(field name: String, _ bytes: some Collection<UInt8>) throws(RequestError) {
        guard let id = UploadID(bytes: Array(bytes)) else {
            throw RequestError(name, "must have \(UploadID.length) bytes, not \(bytes.count)")
        }
        self = id
    }
}

extension AuditWriter? {
    /// The `writer` field of a request; `nil` where it is left empty.
    package init(field text: String) throws(RequestError) {
        guard !text.isEmpty else {
            self = nil
            return
        }
        guard let writer = AuditWriter(named: text) else {
            throw RequestError("writer", "must be of the form [a-z0-9._-]{1,64}")
        }
        self = writer
    }
}

extension SourceAddress? {
    /// The `source_address` field, which may be left empty.
    package init(field text: some Collection<UInt8>) throws(RequestError) {
        guard !text.isEmpty else {
            self = nil
            return
        }
        guard let address = SourceAddress(text: text) else {
            throw RequestError("source_address", "must be the text of an IP address, without port, brackets or zone")
        }
        self = address
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
        guard unknownFields.data.isEmpty else { throw .unknownChoice(field) }
    }
}

extension RequestError {
    /// A choice that may be one of a later version.
    static func unknownChoice(_ field: String) -> RequestError {
        RequestError(field, "must hold nothing that this version does not know")
    }
}

extension Purpose {
    public init(_ message: Assay_V1_Purpose) throws(RequestError) {
        switch message {
        case .register: self = .register
        case .assert: self = .assert
        case .provision: self = .provision
        case .renew: self = .renew
        case .unspecified, .UNRECOGNIZED: throw RequestError("purpose", "must be set")
        }
    }

    public var message: Assay_V1_Purpose {
        switch self {
        case .register: .register
        case .assert: .assert
        case .provision: .provision
        case .renew: .renew
        }
    }
}
