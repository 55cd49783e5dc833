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
