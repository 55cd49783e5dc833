import AssayAPI
import AssayCore
import AssayRPC
import AssayResults
import AssayTesting
import SwiftProtobuf
import Testing

@testable import AssayService

@Suite("Status lists by call")
struct StatusListServiceTests {
    private let issuers = ResultIssuers()

    private func error(_ harness: ServiceHarness, _ request: Assay_V1_GetStatusListRequest) async throws -> RPCError? {
        do {
            _ = try await harness.call(API.getStatusList, request)
            return nil
        } catch let error as RPCError {
            return error
        }
    }

    @Test("a session token names a place, and the list that is asked for says what is known of the device")
    func session() async throws {
        let ledger = WatchedLedger()
        let places = LedgerStatusPlaces(
            ledger: ledger, permutations: StatusListPermutations(secret: StatusListScene.secret))
        let harness = try await ServiceHarness.signing(issuers, ledger: ledger, places: places)
        let verdict = try await harness.verify(try await harness.registration(asking: [.session, .earJWT]))
        let session = try await ResultIssuers.read(try #require(verdict.results.first), from: harness)
        let place = try #require(try session.statusReference())
        #expect(try await ResultIssuers.read(verdict.results[1], from: harness).statusReference() == nil)
        func status(_ form: Assay_V1_StatusListForm) async throws -> StatusValue {
            let list = try await harness.call(
                API.getStatusList, .with { ($0.list, $0.form, $0.simulated) = (0, form, true) })
            #expect(list.uri == place.uri && list.mediaType.hasSuffix(form == .cwt ? "+cwt" : "+jwt"))
            #expect(list.expiresAtUnixMs == harness.clock.now().unixMilliseconds + 3_600_000)
            let keys = try await harness.call(API.getResultKeys, .with { $0.simulated = true }).jwks
            return try StatusListReader(keys: JSONWebKeySet(parsing: Array(keys.utf8))).read(
                Array(list.token), of: place.uri, at: harness.clock.now()
            ).status(of: place)
        }
        for form in [Assay_V1_StatusListForm.unspecified, .jwt, .cwt] { #expect(try await status(form) == .valid) }
        let device = try #require(DeviceID(bytes: Array(verdict.deviceID)))
        _ = try await ledger.block(.device(device), ChangeContext(.caller("test"), at: harness.clock.now()))
        await harness.statusLists.look()
        for form in [Assay_V1_StatusListForm.jwt, .cwt] { #expect(try await status(form) == .suspended) }
    }

    @Test("an entity attestation result names a place where the app says so, and two audiences see two")
    func audiences() async throws {
        let ledger = WatchedLedger()
        let places = LedgerStatusPlaces(
            ledger: ledger, permutations: StatusListPermutations(secret: StatusListScene.secret))
        let harness = try await ServiceHarness.signing(
            issuers, by: ResultIssuers.composer { $0.status = true }, ledger: ledger, places: places)
        var request = try await harness.registration(asking: [.earJWT, .earCWT])
        request.results.append(ResultRequest(shape: .earJWT, audience: ResultIssuers.other))
        let verdict = try await harness.verify(request)
        var references: [ResultStatusReference] = []
        for result in verdict.results {
            references.append(try #require(try await ResultIssuers.read(result, from: harness).statusReference()))
        }
        #expect(references.count == 3 && references[0] == references[1] && references[2] != references[0])
    }

    @Test("a place that the ledger does not give leaves the verdict, and the same request is signed later")
    func failing() async throws {
        let ledger = WatchedLedger()
        let places = LedgerStatusPlaces(
            ledger: ledger, permutations: StatusListPermutations(secret: StatusListScene.secret))
        let harness = try await ServiceHarness.signing(issuers, ledger: ledger, places: places)
        ledger.fail(.statusPlaces, with: .overloaded)
        let request = try await harness.registration(asking: [.session], key: "upload")
        let verdict = try await harness.verify(request)
        #expect(verdict.isAccepted && verdict.results.first?.problem.code == "results_unavailable")
        ledger.fail(.statusPlaces, with: nil)
        let again = try await harness.verify(request)
        #expect(again.requestID == verdict.requestID && again.results.first?.text.isEmpty == false)
    }

    @Test("an issuer that is not configured, a list that is not there, and an unknown form are refused")
    func refusals() async throws {
        let none = try await ServiceHarness()
        #expect(try await error(none, .init())?.reason == "results_not_configured")
        let harness = try await ServiceHarness.signing(issuers, of: [ResultIssuers.devices])
        #expect(try await error(harness, .init())?.reason == "unknown_status_list")
        #expect(try await error(harness, .with { $0.simulated = true })?.reason == "results_not_configured")
        #expect(try await error(harness, .with { $0.form = .UNRECOGNIZED(9) })?.code == .invalidArgument)
    }
}
