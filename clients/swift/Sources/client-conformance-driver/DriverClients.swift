import AssayAPI
import AssayClient
import AssayCore
import Foundation
import SwiftProtobuf

/// Makes the calls of lines, and keeps the clients that lines name.
final class DriverClients {
    private var kept: [String: AssayClient] = [:]

    /// The answer as JSON. Throws `AssayError` if the call has none.
    func outcome(of line: DriverLine, _ time: DriverTime) async throws -> [UInt8] {
        let client = try client(line.options, time)
        do {
            let answer = try await DriverCall(line: line, client: client).make()
            if line.options.client == nil { await client.close() }
            return answer
        } catch {
            if line.options.client == nil { await client.close() }
            throw error
        }
    }

    private func client(_ options: DriverOptions, _ time: DriverTime) throws -> AssayClient {
        if let name = options.client, let client = kept[name] { return client }
        var credentials: ClientCredentials?
        switch (options.caFile, options.certificateFile, options.keyFile) {
        case (let authorities?, let certificate?, let key?):
            credentials = try ClientCredentials(authorities: authorities, certificate: certificate, privateKey: key)
        case (let authorities?, nil, nil): credentials = try ClientCredentials(authorities: authorities)
        default: break
        }
        let client = try AssayClient(
            address: options.url, credentials: credentials, key: try options.apiKey.map { try ClientKey($0) },
            options: ClientOptions(
                retry: RetryRule(tries: options.tries ?? 5), timeout: .milliseconds(options.timeoutMs ?? 30_000),
                idempotencyKeys: options.idempotencyKeys ?? true),
            time: time.clientTime)
        if let name = options.client { kept[name] = client }
        return client
    }
}

/// One call: its request read from JSON, its answer written as JSON.
struct DriverCall {
    let line: DriverLine
    let client: AssayClient

    struct UnknownMethod: Error {
        let name: String
    }

    func make() async throws -> [UInt8] {
        switch line.method {
        case "issueChallenge": return try await issueChallenge()
        case "verify": return try await verify()
        case "provisionDevice": return try await provisionDevice()
        case "getDevice": return try await getDevice()
        case "listDevices": return try await listDevices()
        case "block":
            let request = try read(API.block)
            let answer = try await client.block(
                try target(request.target), app: try app(request.app), reason: request.reason, timeout: timeout)
            return try write(API.block, answer)
        case "unblock":
            let request = try read(API.unblock)
            return try write(
                API.unblock,
                try await client.unblock(try target(request.target), app: try app(request.app), timeout: timeout))
        case "findVerdicts":
            let request = try read(API.findVerdicts)
            let answer = try await client.findVerdicts(
                of: try app(request.app), payloadSHA256: Array(request.payloadSha256), timeout: timeout)
            return try write(API.findVerdicts, answer)
        case "whoAmI": return try write(API.whoAmI, try await client.whoAmI(timeout: timeout))
        default: throw UnknownMethod(name: line.method)
        }
    }

    // MARK: Methods

    private func issueChallenge() async throws -> [UInt8] {
        let request = try read(API.issueChallenge)
        let issued = try await client.issueChallenge(
            app: try app(request.app), purpose: try refused { () throws(RequestError) in try Purpose(request.purpose) },
            context: Array(request.context), timeToLive: request.ttlMs == 0 ? nil : .milliseconds(request.ttlMs),
            timeout: timeout)
        return try write(
            API.issueChallenge,
            .with {
                $0.challenge = Data(issued.bytes)
                $0.expiresAtUnixMs = issued.expiry.unixMilliseconds
            })
    }

    private func verify() async throws -> [UInt8] {
        let bytes: [UInt8] = try read(API.verify).serializedBytes()
        let read = try refused { () throws(RequestError) in try VerificationRequest(serialized: bytes) }
        guard var request = read else { throw AssayError(.invalidArgument, "not a request", reason: "bad_request") }
        request.idempotencyKey = Array((line.options.idempotencyKey ?? "").utf8)
        return try write(API.verify, try await client.verify(request, timeout: timeout))
    }

    private func provisionDevice() async throws -> [UInt8] {
        let request = try read(API.provisionDevice)
        let answer = try await client.provisionDevice(
            FleetDeviceRequest(
                app: try app(request.app), serial: request.deviceSerial, family: request.deviceFamily,
                csr: Array(request.csr), token: request.enrolmentToken,
                idempotencyKey: Array((line.options.idempotencyKey ?? "").utf8)),
            timeout: timeout)
        return try write(API.provisionDevice, answer)
    }

    private func getDevice() async throws -> [UInt8] {
        let request = try read(API.getDevice)
        let app = try app(request.app)
        let device =
            switch request.by {
            case .deviceID(let id): try await client.device(try self.id(id), app: app, timeout: timeout)
            case .keyID(let key): try await client.device(keyID: Array(key), app: app, timeout: timeout)
            case .deviceSerial(let serial): try await client.device(serial: serial, app: app, timeout: timeout)
            case nil: throw AssayError(.invalidArgument, "no device is named", reason: "bad_request")
            }
        return try write(API.getDevice, device)
    }

    private func listDevices() async throws -> [UInt8] {
        let request = try read(API.listDevices)
        let page = try await client.devices(
            app: try app(request.app), subject: Array(request.subject), state: request.state, pageSize: request.pageSize,
            pageToken: Array(request.pageToken), timeout: timeout)
        return try write(API.listDevices, page)
    }

    // MARK: Requests and answers

    private var timeout: Duration? { line.options.callTimeoutMs.map { .milliseconds($0) } }

    private func read<Method: APIMethod>(_ method: Method) throws -> Method.Request {
        guard let json = method.json else { throw UnknownMethod(name: method.path) }
        do {
            return try Method.Request(serializedBytes: try json.readRequest(line.request[...]))
        } catch {
            throw AssayError(.invalidArgument, "\(error)", reason: "bad_request")
        }
    }

    private func write<Method: APIMethod>(_ method: Method, _ answer: Method.Response) throws -> [UInt8] {
        guard let json = method.json else { throw UnknownMethod(name: method.path) }
        return try json.writeResponse(try answer.serializedBytes())
    }

    private func refused<T>(_ make: () throws(RequestError) -> T) throws(AssayError) -> T {
        do throws(RequestError) { return try make() } catch {
            throw AssayError(.invalidArgument, "\(error)", reason: "bad_request")
        }
    }

    private func app(_ name: String) throws(AssayError) -> AppID {
        guard let app = AppID(name) else {
            throw AssayError(.invalidArgument, "app is not a name of an app", reason: "bad_request")
        }
        return app
    }

    private func id(_ bytes: Data) throws(AssayError) -> DeviceID {
        guard let id = DeviceID(bytes: Array(bytes)) else {
            throw AssayError(.invalidArgument, "the id of a device has 16 bytes", reason: "bad_request")
        }
        return id
    }

    private func target(_ message: Assay_V1_BlockTarget) throws(AssayError) -> BlockSubject {
        switch message.what {
        case .deviceID(let id): .device(try self.id(id))
        case .subject(let subject): .subject(Array(subject))
        case .keyID(let key): .key(Array(key))
        case nil: throw AssayError(.invalidArgument, "target names nothing", reason: "bad_request")
        }
    }
}
