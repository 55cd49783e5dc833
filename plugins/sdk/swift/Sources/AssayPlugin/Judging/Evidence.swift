/// One piece of evidence, and what it is judged by.
public struct Evidence: Sendable {
    /// The name of the format: one that the plugin declares.
    public let format: String
    public let app: String
    public let purpose: Purpose
    /// What the device sent: at most the format's `sizeLimit` bytes.
    public let body: [UInt8]
    /// What the device was expected to sign or to embed; with freshness by payload, the device of the piece beside this one. Otherwise empty.
    public let clientData: [UInt8]
    /// SHA-256 of the payload that the client data bind; `nil` if they bind none, never with freshness by payload.
    public let payloadSHA256: [UInt8]?
    /// Freshness by payload: the signed document of the request's signals, if it is the payload: its SHA-256 is `payloadSHA256`. Otherwise `nil`.
    public let signals: [UInt8]?
    /// The time to judge by, in milliseconds since 1970: 0 to the end of the year 9999. A plugin that reads a clock judges one
    /// request differently each time.
    public let nowMilliseconds: Int64
    /// The device that `locate` named, if the app has it.
    public let device: Device?
    /// Names the request in log lines: 16 bytes.
    public let requestID: [UInt8]
}

/// A device that the plugin registered.
public struct Device: Sendable {
    /// 16 bytes.
    public let id: [UInt8]
    public let subjectKey: [UInt8]
    /// As it was registered.
    public let publicKey: [UInt8]
    public let counter: Int64
    public let registeredAtMilliseconds: Int64
}

/// What `locate` is asked.
public struct LocateRequest: Sendable {
    public let format: String
    public let app: String
    public let body: [UInt8]
}

/// What `prepare` is asked.
public struct PrepareRequest: Sendable {
    public let format: String
    public let app: String
    /// What the caller passes on. The plugin defines its form.
    public let body: [UInt8]
    /// In milliseconds since 1970: 0 to the end of the year 9999.
    public let nowMilliseconds: Int64
}

/// What a device needs before it can make evidence.
public struct Prepared: Sendable {
    /// At most 512 KiB. The plugin defines its form.
    public var body: [UInt8]
    /// When it ends, in milliseconds since 1970; `nil`: it does not say.
    public var expiryMilliseconds: Int64?

    public init(body: [UInt8], expiryMilliseconds: Int64? = nil) {
        self.body = body
        self.expiryMilliseconds = expiryMilliseconds
    }
}
