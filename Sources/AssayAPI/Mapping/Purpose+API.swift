public import AssayCore

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
