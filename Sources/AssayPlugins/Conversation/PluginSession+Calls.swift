import AssayAPI
package import AssayCore
package import AssayRPC
import Crypto
import Foundation
import SwiftProtobuf

/// One piece of evidence for a plugin.
package struct PluginRequest: Sendable {
    package var app: AppID
    package var format: EvidenceFormat
    package var purpose: Purpose
    package var body: [UInt8]
    /// The bytes that the device was expected to sign; `nil` without a challenge.
    package var clientData: [UInt8]?
    /// SHA-256 of the payload that they bind; empty if they bind none.
    package var payloadHash: [UInt8]
    /// The signed document of the signals, if it is that payload; otherwise empty. Only formats with freshness by payload are given it.
    package var signals: [UInt8] = []
    package var requestID: [UInt8]
    package var now: Timestamp
    /// The most that an appraisal may give.
    package var ceiling: Assurance
    /// Whether the plugin's judgement can accept evidence. Of one that can only reject the findings alone are read.
    package var canAccept = true
    /// The plugin's name for the device that the evidence is about; empty: none, or not located yet.
    package var subjectKey: [UInt8] = []
    /// The device of that name, if it is registered.
    package var device: Device?
    /// The ledger's tokens that the request itself may have used up: those of the judgement that a shadow is compared with.
    package var ownUses: Set<[UInt8]> = []

    package init(
        app: AppID, format: EvidenceFormat, purpose: Purpose, body: [UInt8], clientData: [UInt8]? = nil,
        payloadHash: [UInt8] = [], requestID: [UInt8] = SecureRandom.bytes(16), now: Timestamp, ceiling: Assurance
    ) {
        (self.app, self.format, self.purpose, self.body) = (app, format, purpose, body)
        (self.clientData, self.payloadHash, self.requestID) = (clientData, payloadHash, requestID)
        (self.now, self.ceiling) = (now, ceiling)
    }
}

extension PluginRequest {
    /// Refuses what the daemon's registry refuses before the plugin is asked, once the device that Locate named is looked up. A second opinion
    /// has no devices.
    func admitLocated() throws(Rejection) {
        guard canAccept else { return }
        try DeviceAdmission().check(located: device, for: purpose)
    }
}

/// A plugin gave no usable answer: the caller is answered UNAVAILABLE.
package enum PluginCallFailure: Error, Sendable, CustomStringConvertible {
    /// The plugin's status, or that of the connection.
    case status(RPCError)
    /// The answer is against the contract.
    case contract(PluginFault)
    /// The registry did not answer.
    case registry(String)

    package var description: String {
        switch self {
        case .status(let error): error.description
        case .contract(let fault): fault.description
        case .registry(let why): why
        }
    }
}

extension PluginSession {
    /// What a plugin says of evidence.
    package enum Answer: Sendable {
        /// A judgement that keeps the contract, as it was sent and as it is read.
        case appraised(PluginAppraisal, message: [UInt8], device: Device?)
        /// The evidence could not even be located.
        case refused(Rejection)
    }

    /// Whether the plugin waits for an answer of the daemon's.
    var awaitsHost: Bool { host.isAnswering }

    /// Whether the connection takes calls.
    package var isOpen: Bool { connection.isOpen }

    /// Which of the plugin's devices the evidence is about: `none` also for formats that do not locate.
    package func locate(
        _ request: PluginRequest, timeout: CallTimeout
    ) async throws(PluginCallFailure) -> LocatedSubject {
        let format = try format(of: request)
        guard format.locates else { return .none }
        let response: Assay_Plugin_V1_LocateResponse = try await send(
            .locate,
            Assay_Plugin_V1_LocateRequest.with { message in
                message.format = Data(request.format.rawValue.utf8)
                message.app = Data(request.app.text.utf8)
                message.body = Data(request.body)
            }, timeout)
        if response.hasRefusal {
            do throws(PluginFault) {
                return .refused(try Rejection(response.refusal, of: format))
            } catch { throw .contract(error) }
        }
        guard !response.subjectKey.isEmpty else { return .none }
        let key = Array(response.subjectKey)
        return .device(
            keyID: PluginScope.digest(PluginScope.deviceTag, plugin: description.name, format: request.format, key),
            subjectKey: key)
    }

    /// Judges one piece of evidence whose device, if it has one, is located.
    package func appraise(
        _ request: PluginRequest, timeout: CallTimeout
    ) async throws(PluginCallFailure) -> Answer {
        let format = try format(of: request)
        let call = PluginCall(app: request.app, format: request.format, ownUses: request.ownUses)
        host.begin(call)
        defer { host.end(call) }
        var request = request
        if format.freshness != .payload { request.signals = [] }
        if format.freshness != .challenge, format.freshness != .payload { request.clientData = nil }
        let response: Assay_Plugin_V1_AppraiseResponse = try await send(
            .appraise, Assay_Plugin_V1_AppraiseRequest(request, call), timeout)
        let scope = PluginScope(request, format, plugin: description.name, toldBlock: host.toldBlock(in: call))
        do {
            let appraisal = try PluginAppraisal(response, in: scope)
            return .appraised(appraisal, message: try response.serializedBytes(), device: request.device)
        } catch {
            throw .contract(error as? PluginFault ?? PluginFault("the appraisal cannot be kept"))
        }
    }

    /// Locates the device of one piece of evidence, looks it up, and judges.
    ///
    /// - Parameter timeout: of each of the two calls.
    package func judge(_ request: PluginRequest, timeout: CallTimeout) async throws(PluginCallFailure) -> Answer {
        switch try await completing(request, with: try await locate(request, timeout: timeout)) {
        case .failure(let rejection): return .refused(rejection)
        case .success(let complete): return try await appraise(complete, timeout: timeout)
        }
    }

    /// The request with the device that Locate named, looked up; or why the evidence is refused.
    func completing(
        _ request: PluginRequest, with subject: LocatedSubject
    ) async throws(PluginCallFailure) -> Result<PluginRequest, Rejection> {
        var request = request
        switch subject {
        case .refused(let rejection): return .failure(rejection)
        case .unavailable(let why): throw .registry(why)
        case .none: break
        case .device(_, let subjectKey):
            request.subjectKey = subjectKey
            let call = PluginCall(app: request.app, format: request.format)
            do { request.device = try await host.device(ofSubjectKey: subjectKey, in: call) } catch {
                throw .registry("\(error)")
            }
            do throws(Rejection) { try request.admitLocated() } catch { return .failure(error) }
        }
        return .success(request)
    }

    private func format(of request: PluginRequest) throws(PluginCallFailure) -> PluginFormat {
        guard let format = description.formats.first(where: { $0.name == request.format }) else {
            throw .contract(PluginFault("the plugin does not appraise \(request.format)"))
        }
        return format
    }

    /// Makes what a device needs before it can make evidence.
    package func prepare(
        _ body: [UInt8], format name: EvidenceFormat, app: AppID, now: Timestamp, timeout: CallTimeout
    ) async throws(PluginCallFailure) -> Result<Preparation, Rejection> {
        guard let format = description.formats.first(where: { $0.name == name }), format.prepares else {
            throw .contract(PluginFault("the plugin prepares nothing for \(name)"))
        }
        let call = PluginCall(app: app, format: name)
        host.begin(call)
        defer { host.end(call) }
        let response: Assay_Plugin_V1_PrepareResponse = try await send(
            .prepare,
            Assay_Plugin_V1_PrepareRequest.with {
                ($0.callToken, $0.format, $0.app) = (Data(call.token), Data(name.rawValue.utf8), Data(app.text.utf8))
                ($0.body, $0.nowUnixMs) = (Data(body), now.unixMilliseconds)
            }, timeout)
        do throws(PluginFault) {
            if response.hasRefusal { return .failure(try Rejection(response.refusal, of: format)) }
            guard response.body.count <= PluginFormat.largestBody else {
                throw PluginFault(
                    "the prepared body has \(response.body.count) bytes, want at most \(PluginFormat.largestBody)")
            }
        } catch { throw .contract(error) }
        let expiry = response.expiryUnixMs == 0 ? nil : Timestamp(unixMilliseconds: response.expiryUnixMs)
        return .success(Preparation(body: Array(response.body), expiry: expiry))
    }

    /// Hands verdicts over.
    ///
    /// - Parameter dropped: verdicts that were not handed over since the call before.
    package func observe(
        _ verdicts: [GivenVerdict], dropped: UInt64, timeout: CallTimeout
    ) async throws(PluginCallFailure) {
        let call = ObserveCall(apps: apps)
        host.begin(call)
        defer { host.end(call) }
        let _: Assay_Plugin_V1_ObserveResponse = try await send(
            .observe,
            Assay_Plugin_V1_ObserveRequest.with {
                ($0.events, $0.dropped) = (verdicts.map { Assay_Plugin_V1_VerdictEvent($0) }, dropped)
                $0.callToken = Data(call.token)
            }, timeout)
    }

    /// Judges a configuration without using it.
    package func validate(
        _ configuration: [UInt8], timeout: CallTimeout
    ) async throws(PluginCallFailure) -> [PluginProblem] {
        let response: Assay_Plugin_V1_ValidateResponse = try await send(
            .validate,
            Assay_Plugin_V1_ValidateRequest.with { $0.configuration = Data(configuration) }, timeout)
        return PluginProblem.read(response.problems)
    }

    /// Why the plugin cannot work; `nil` if it can.
    package func health(timeout: CallTimeout) async throws(PluginCallFailure) -> String? {
        let response: Assay_Plugin_V1_HealthResponse = try await send(.health, Assay_Plugin_V1_HealthRequest(), timeout)
        return response.problem.isEmpty ? nil : PluginText.sentence(response.problem)
    }

    private func send<Response: SwiftProtobuf.Message>(
        _ method: PluginConnection.Method, _ request: some SwiftProtobuf.Message, _ timeout: CallTimeout
    ) async throws(PluginCallFailure) -> Response {
        do throws(RPCError) { return try await connection.call(method, request, timeout: timeout) } catch {
            throw .status(error)
        }
    }

    /// The time that a frame takes to the plugin and back.
    package func ping() async throws(PluginCallFailure) -> Duration {
        do throws(RPCError) { return try await connection.ping() } catch { throw .status(error) }
    }

    /// Suspends until the connection has ended. All calls have their results then.
    package func disconnected() async { await connection.closed() }

    /// Whether the connection was ended because the plugin sent without reading what answers it.
    var isUnread: Bool { connection.isUnread }

    /// Ends the connection at once.
    package func disconnect() { connection.abort() }

    /// Lets the plugin answer what is in flight, and end; kills it after the grace.
    package func close(grace: Duration = .seconds(2)) async -> ProcessEnd {
        let process = process
        let timer = Task {
            try await Task.sleep(for: grace)
            process.kill()
        }
        await connection.close()
        let end = await process.end
        timer.cancel()
        return end
    }
}

extension Assay_Plugin_V1_AppraiseRequest {
    init(_ request: PluginRequest, _ call: PluginCall) {
        self.init()
        callToken = Data(call.token)
        (format, app) = (Data(request.format.rawValue.utf8), Data(request.app.text.utf8))
        purpose = Assay_Plugin_V1_Purpose(request.purpose)
        body = Data(request.body)
        if let clientData = request.clientData {
            expected = .with {
                ($0.clientData, $0.payloadSha256, $0.signals) =
                    (Data(clientData), Data(request.payloadHash), Data(request.signals))
            }
        }
        nowUnixMs = request.now.unixMilliseconds
        if let device = request.device { self.device = Assay_Plugin_V1_Device(device, subjectKey: request.subjectKey) }
        requestID = Data(request.requestID)
    }
}

extension PluginScope {
    fileprivate init(_ request: PluginRequest, _ format: PluginFormat, plugin: String, toldBlock: Bool) {
        self.init(
            plugin: plugin, format: format, app: request.app, purpose: request.purpose,
            clientDataSHA256: request.clientData.map { SHA256.bytes(of: $0) },
            payloadSHA256: request.payloadHash.isEmpty ? nil : request.payloadHash, hasDevice: request.device != nil,
            ceiling: request.ceiling, now: request.now, toldBlock: toldBlock, canAccept: request.canAccept)
    }
}

extension Assay_Plugin_V1_VerdictEvent {
    fileprivate init(_ verdict: GivenVerdict) {
        self.init()
        (requestID, app, caller) = (Data(verdict.requestID), Data(verdict.app.text.utf8), Data(verdict.caller.utf8))
        (purpose, formats) = (Assay_Plugin_V1_Purpose(verdict.purpose), verdict.formats.map { Data($0.rawValue.utf8) })
        if let rejection = verdict.rejection {
            (code, check) = (Data(rejection.code.utf8), Data(rejection.check.utf8))
        } else {
            (accepted, assurance) = (true, Assay_Plugin_V1_Assurance(verdict.assurance))
        }
        (deviceID, policyDigest) = (Data(verdict.device?.bytes ?? []), Data(verdict.policyDigest))
        (simulated, repeatedAnswer) = (verdict.simulated, verdict.repeated)
        decidedAtUnixMs = verdict.decidedAt.unixMilliseconds
        let traits = verdict.traits
        (keyID, address, subject) = (Data(traits.key), Data(traits.address), Data(traits.subject))
        (model, osPatchLevel, counter) = (Data(traits.model), traits.osPatchLevel, traits.counter)
    }
}

extension Assay_Plugin_V1_Assurance {
    fileprivate init(_ assurance: Assurance) {
        switch assurance {
        case .none: self = .none
        case .software: self = .software
        case .platform: self = .platform
        case .hardware: self = .hardware
        case .secureElement: self = .secureElement
        }
    }
}

extension Assay_Plugin_V1_Purpose {
    fileprivate init(_ purpose: Purpose) {
        switch purpose {
        case .register: self = .register
        case .assert: self = .assert
        case .provision: self = .provision
        case .renew: self = .renew
        }
    }
}
