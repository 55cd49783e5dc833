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
    package var requestID: [UInt8]
    package var now: Timestamp
    /// The most that an appraisal may give.
    package var ceiling: Assurance

    package init(
        app: AppID, format: EvidenceFormat, purpose: Purpose, body: [UInt8], clientData: [UInt8]? = nil,
        payloadHash: [UInt8] = [], requestID: [UInt8] = SecureRandom.bytes(16), now: Timestamp, ceiling: Assurance
    ) {
        (self.app, self.format, self.purpose, self.body) = (app, format, purpose, body)
        (self.clientData, self.payloadHash, self.requestID) = (clientData, payloadHash, requestID)
        (self.now, self.ceiling) = (now, ceiling)
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
    /// A judgement, or the refusal of evidence that the plugin could not even locate.
    package enum Answer: Sendable {
        case appraised(PluginAppraisal, device: Device?)
        case refused(Rejection)
    }

    /// Whether the connection takes calls.
    package var isOpen: Bool { connection.isOpen }

    /// Judges one piece of evidence: locates its device if the format says so, and appraises.
    ///
    /// - Parameter timeout: of each of the two calls.
    package func appraise(_ request: PluginRequest, timeout: Duration) async throws(PluginCallFailure) -> Answer {
        guard let format = description.formats.first(where: { $0.name == request.format }) else {
            throw .contract(PluginFault("the plugin does not appraise \(request.format)"))
        }
        let call = PluginCall(app: request.app, format: request.format)
        host.begin(call)
        defer { host.end(call) }
        var located: Located?
        if format.locates {
            switch try await locate(request, format, call, timeout) {
            case .success(let found): located = found
            case .failure(let rejection): return .refused(rejection)
            }
        }
        let scope = PluginScope(
            plugin: description.name, format: format, app: request.app, purpose: request.purpose,
            clientDataSHA256: request.clientData.map { SHA256.bytes(of: $0) }, hasDevice: located?.device != nil,
            ceiling: request.ceiling, now: request.now)
        let response: Assay_Plugin_V1_AppraiseResponse = try await send(
            .appraise, Assay_Plugin_V1_AppraiseRequest(request, call, located?.device, located?.subjectKey ?? []), timeout)
        do throws(PluginFault) {
            return .appraised(try PluginAppraisal(response, in: scope), device: located?.device)
        } catch { throw .contract(error) }
    }

    private struct Located: Sendable {
        let device: Device?
        let subjectKey: [UInt8]
    }

    private func locate(
        _ request: PluginRequest, _ format: PluginFormat, _ call: PluginCall, _ timeout: Duration
    ) async throws(PluginCallFailure) -> Result<Located?, Rejection> {
        let response: Assay_Plugin_V1_LocateResponse = try await send(
            .locate,
            Assay_Plugin_V1_LocateRequest.with { message in
                message.format = Data(request.format.rawValue.utf8)
                message.app = Data(request.app.text.utf8)
                message.body = Data(request.body)
            }, timeout)
        if response.hasRefusal {
            do throws(PluginFault) {
                return .failure(try Rejection(response.refusal, of: format))
            } catch { throw .contract(error) }
        }
        guard !response.subjectKey.isEmpty else { return .success(nil) }
        let key = Array(response.subjectKey)
        do {
            return .success(Located(device: try await host.device(ofSubjectKey: key, in: call), subjectKey: key))
        } catch {
            throw .registry("\(error)")
        }
    }

    /// Judges a configuration without using it.
    package func validate(
        _ configuration: [UInt8], timeout: Duration
    ) async throws(PluginCallFailure) -> [PluginProblem] {
        let response: Assay_Plugin_V1_ValidateResponse = try await send(
            .validate,
            Assay_Plugin_V1_ValidateRequest.with { $0.configuration = Data(configuration) }, timeout)
        return PluginProblem.read(response.problems)
    }

    /// Why the plugin cannot work; `nil` if it can.
    package func health(timeout: Duration) async throws(PluginCallFailure) -> String? {
        let response: Assay_Plugin_V1_HealthResponse = try await send(.health, Assay_Plugin_V1_HealthRequest(), timeout)
        return response.problem.isEmpty ? nil : PluginText.sentence(response.problem)
    }

    private func send<Response: SwiftProtobuf.Message>(
        _ method: PluginConnection.Method, _ request: some SwiftProtobuf.Message, _ timeout: Duration
    ) async throws(PluginCallFailure) -> Response {
        do throws(RPCError) { return try await connection.call(method, request, timeout: timeout) } catch {
            throw .status(error)
        }
    }

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
    fileprivate init(_ request: PluginRequest, _ call: PluginCall, _ device: Device?, _ subjectKey: [UInt8]) {
        self.init()
        callToken = Data(call.token)
        (format, app) = (Data(request.format.rawValue.utf8), Data(request.app.text.utf8))
        purpose = Assay_Plugin_V1_Purpose(request.purpose)
        body = Data(request.body)
        if let clientData = request.clientData {
            expected = .with { ($0.clientData, $0.payloadSha256) = (Data(clientData), Data(request.payloadHash)) }
        }
        nowUnixMs = request.now.unixMilliseconds
        if let device { self.device = Assay_Plugin_V1_Device(device, subjectKey: subjectKey) }
        requestID = Data(request.requestID)
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
