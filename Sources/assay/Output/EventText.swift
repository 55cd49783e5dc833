import AssayAPI
import AssayCore

/// The line of an event.
extension Assay_V1_Event {
    var line: String {
        var words = [Timestamp(unixMilliseconds: timeUnixMs).description, styledKind.padded(to: 18), app.isEmpty ? "-" : app]
        switch content {
        case .verdict(let verdict):
            words.append(
                verdict.decision == .accepted
                    ? "assurance \(verdict.assurance.name)"
                    : verdict.code + (verdict.check.isEmpty ? "" : " (\(verdict.check))"))
            words += [caller, Hex.encode(verdict.requestID)]
            if verdict.simulated { words.append("[simulated]") }
            if verdict.wouldReject { words.append("[not enforced]") }
        case .change(let change):
            words.append(caller.isEmpty ? "(\(change.origin))" : caller.printable)
            if !change.name.isEmpty { words.append(change.name.printable) }
            if change.count != 0 { words.append(change.countText(of: kind)) }
            words.append("audit record \(change.auditNumber)")
        case .device(let device):
            words.append(device.code + (device.check.isEmpty ? "" : " (\(device.check))"))
            words.append(device.detail.printable)
        case nil: break
        }
        if let device = DeviceID(bytes: Array(deviceID)) { words.append(device.description) }
        return words.joined(separator: "  ")
    }

    private var styledKind: String {
        switch content {
        case .verdict(let verdict) where verdict.decision == .accepted: Console.styled(kind, .good)
        case .verdict(let verdict) where verdict.decision == .rejected: Console.styled(kind, .bad)
        case .device: Console.styled(kind, .bad)
        default: kind
        }
    }
}

extension Assay_V1_ChangeEvent {
    /// The count of a kind of change, which is a time for some.
    fileprivate func countText(of kind: String) -> String {
        switch kind {
        case "change.flag_set": "until \(Timestamp(unixMilliseconds: count))"
        case "change.result_key_sign": "from \(Timestamp(unixMilliseconds: count))"
        default: "count \(count)"
        }
    }
}
