public import AssayCore
import Foundation
import SwiftProtobuf

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
