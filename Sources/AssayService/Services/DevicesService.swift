import AssayAPI
package import AssayCore
package import AssayRPC

/// `assay.v1.Devices`: the registry.
package struct DevicesService: Sendable {
    private let gatekeeper: Gatekeeper
    private let ledger: any Ledger

    package init(gatekeeper: Gatekeeper, ledger: any Ledger) {
        (self.gatekeeper, self.ledger) = (gatekeeper, ledger)
    }

    package var methods: [RPCMethod] {
        [
            RPCMethod(
                path: MethodDeclaration.getDevice.path,
                handler: .unary { call async throws(RPCError) in try await get(call).message })
        ]
    }

    private func get(_ call: RPCCall) async throws(RPCError) -> Device {
        let caller = try gatekeeper.admit(call.peer, to: .getDevice)
        let message = try call.decode(Assay_V1_GetDeviceRequest.self)
        let query: DeviceQuery
        do { query = try DeviceQuery(message) } catch { throw RPCError(error) }
        _ = try gatekeeper.profile(of: query.app, for: caller)
        let device: Device?
        do throws(LedgerError) {
            switch query.by {
            case .id(let id): device = try await ledger.device(id)
            case .key(let keyID): device = try await ledger.device(DeviceKey(app: query.app, keyID: keyID))
            }
        } catch {
            throw RPCError(error)
        }
        guard let device, device.app == query.app else {
            throw RPCError(.notFound, "no device of this app has that name or key", reason: "unknown_device")
        }
        return device
    }
}

/// A shaped `GetDeviceRequest`.
private struct DeviceQuery {
    enum By {
        case id(DeviceID)
        case key([UInt8])
    }
    let app: AppID
    let by: By

    init(_ message: Assay_V1_GetDeviceRequest) throws(RequestError) {
        app = try AppID(field: message.app)
        switch message.by {
        case .deviceID(let bytes): by = .id(try DeviceID(field: "device_id", bytes))
        case .keyID(let bytes): by = .key(try bytes.bounded("key_id", by: 64))
        case nil: throw RequestError("by", "must name a device id or a key id")
        }
    }
}
