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
        let request = try call.decode(Assay_V1_GetDeviceRequest.self)
        let app: AppID
        do { app = try AppID(field: request.app) } catch { throw RPCError(error) }
        _ = try gatekeeper.profile(of: app, for: caller)
        let device = try await find(request.by, app: app)
        guard let device, device.app == app else {
            throw RPCError(.notFound, "no device of this app has that name or key", reason: "unknown_device")
        }
        return device
    }

    private func find(_ by: Assay_V1_GetDeviceRequest.OneOf_By?, app: AppID) async throws(RPCError) -> Device? {
        let id: DeviceID
        do throws(RequestError) {
            switch by {
            case .deviceID(let bytes): id = try DeviceID(field: "device_id", bytes)
            case .keyID(let bytes):
                let keyID = try bytes.bounded("key_id", by: 64)
                do { return try await ledger.device(DeviceKey(app: app, keyID: keyID)) } catch { throw RPCError(error) }
            case nil: throw RequestError("by", "must name a device id or a key id")
            }
        } catch let error as RequestError {
            throw RPCError(error)
        }
        do { return try await ledger.device(id) } catch { throw RPCError(error) }
    }
}
