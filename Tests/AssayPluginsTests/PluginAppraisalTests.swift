import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayPlugins

@Suite("Appraisals by plugins")
struct PluginAppraisalTests {
    static let now = Timestamp(unixMilliseconds: 1_800_000_000_000)
    static let clientData = [UInt8](repeating: 7, count: 32)
    static let payload = [UInt8](repeating: 9, count: 32)

    func scope(
        plugin: String = "kiosk", purpose: Purpose = .assert, hasDevice: Bool = false, ceiling: Assurance = .hardware,
        toldBlock: Bool = false, payload: [UInt8]? = Self.payload, format: (inout Assay_Plugin_V1_Format) -> Void = { _ in }
    ) throws -> PluginScope {
        let description = try PluginDescription(Messages.description(format: format), expected: "kiosk")
        return PluginScope(
            plugin: plugin, format: try #require(description.formats.first), app: try #require(AppID("shop")),
            purpose: purpose, clientDataSHA256: Self.clientData, payloadSHA256: payload, hasDevice: hasDevice,
            ceiling: ceiling, now: Self.now, toldBlock: toldBlock)
    }

    /// An accepting answer.
    func response(_ change: (inout Assay_Plugin_V1_AppraiseResponse) -> Void = { _ in }) -> Assay_Plugin_V1_AppraiseResponse {
        var response = Assay_Plugin_V1_AppraiseResponse.with {
            $0.findings = [Messages.finding("form"), Messages.finding("signature")]
            $0.claims = [.with { ($0.name, $0.text) = ("place".data, "hall".data) }]
            $0.assurance = .platform
            $0.verifiedClientDataSha256 = Data(Self.clientData)
        }
        change(&response)
        return response
    }

    func fault(_ response: Assay_Plugin_V1_AppraiseResponse, _ scope: PluginScope) -> String? {
        do throws(PluginFault) {
            _ = try PluginAppraisal(response, in: scope)
            return nil
        } catch { return error.description }
    }

    @Test("What the daemon alone decides is not a plugin's to say, as a failure, an open check, a used token or a declaration")
    func reservedCodes() throws {
        let codes = PluginFormat.reservedCodes.map(\.rawValue)
        #expect(codes.contains("device_blocked") && codes.contains("plugin_quarantined") && !codes.contains("unknown_device"))
        for code in codes {
            let words = "the reason code '\(code)' says what only Assay decides"
            #expect(fault(response { $0.findings = [Messages.finding("x", .fail, code)] }, try scope()) == words)
            #expect(fault(response { $0.findings = [Messages.finding("x", .unavailable, code)] }, try scope()) == words)
            let token = response {
                $0.usedTokens = [
                    .with {
                        ($0.token, $0.usedCode) = (Data([1]), Data(code.utf8))
                        $0.untilUnixMs = Self.now.unixMilliseconds + 1000
                    }
                ]
            }
            #expect(fault(token, try scope { $0.freshness = .singleUse }) == words)
            #expect(throws: PluginFault(words)) {
                try scope { $0.codes = [.with { ($0.code, $0.retry) = (Data(code.utf8), .never) }] }
            }
        }
    }

    @Test("A plugin repeats that a device of the fleet is blocked, where the daemon told it so, and no other such code")
    func repeatedBlock() throws {
        let blocked = response { $0.findings = [Messages.finding("blocked", .fail, "device_blocked")] }
        #expect(try PluginAppraisal(blocked, in: scope(toldBlock: true)).failure?.rejection?.code == .init(.deviceBlocked))
        let quarantined = response { $0.findings = [Messages.finding("x", .fail, "plugin_quarantined")] }
        #expect(fault(quarantined, try scope(toldBlock: true)) != nil)
    }

    @Test("The page of the protocol lists the codes that are not a plugin's to say")
    func documentedCodes() throws {
        let page = try String(
            contentsOf: BuiltPlugin.root.appending(path: "docs/reference/plugin-protocol.md"), encoding: .utf8)
        let paragraph = try #require(page.components(separatedBy: "Codes of what the daemon alone decides").dropFirst().first)
        let sentence = try #require(paragraph.components(separatedBy: "A plugin may repeat").first)
        let listed = sentence.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(Set(listed) == Set(PluginFormat.reservedCodes.map(\.rawValue)) && Set(listed).count == listed.count)
    }

    @Test(
        "Sentences of a plugin reach callers without what a terminal would obey or a reader would not see",
        arguments: [
            ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\u{9B}2Jb", "a\u{FFFD}2Jb"), ("a\u{85}\u{2028}b", "a\u{FFFD}\u{FFFD}b"),
            ("\u{202E}txt.exe\u{2066}", "\u{FFFD}txt.exe\u{FFFD}"), ("a\r\nb\tc", "a  b c"),
            ("\u{200B}\u{E0041}\u{FE0F}", "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("é 漢", "é 漢"), (String(repeating: "é", count: 600), String(repeating: "é", count: 512)),
            (String(repeating: "\u{9B}", count: 600), String(repeating: "\u{FFFD}", count: 341)),
        ])
    func sentences(_ stated: String, _ shown: String) throws {
        let answer = response {
            $0.findings = [Messages.finding("x", .fail, "bad_signature")]
            $0.findings[0].detail = stated
        }
        let appraisal = try PluginAppraisal(answer, in: scope())
        #expect(appraisal.findings.first?.detail == shown && appraisal.failure?.rejection?.detail == shown)
        #expect(PluginText.sentence(stated) == shown)
    }

    @Test("An accepting answer is read whole")
    func accepted() throws {
        let appraisal = try PluginAppraisal(response(), in: try scope())
        #expect(appraisal.failure == nil && appraisal.findings == [.pass("form"), .pass("signature")])
        #expect(appraisal.claims.text("place") == "hall" && appraisal.assurance == .platform)
        #expect(appraisal.use == .challenge && appraisal.effect == .none)
    }

    @Test("The assurance is at most the ceiling of the catalog, and none if it is of a later version")
    func ceiling() throws {
        let strong = response { $0.assurance = .secureElement }
        #expect(try PluginAppraisal(strong, in: scope(ceiling: .software)).assurance == .software)
        #expect(try PluginAppraisal(strong, in: scope(ceiling: .secureElement)).assurance == .secureElement)
        #expect(try PluginAppraisal(response { $0.assurance = .UNRECOGNIZED(9) }, in: scope()).assurance == .none)
    }

    @Test("A rejection has the plugin's code and its retry class, and neither claims nor effect")
    func rejected() throws {
        let appraisal = try PluginAppraisal(
            response {
                $0.findings = [Messages.finding("hours", .fail, "kiosk_closed", "open\tfrom 8\n")]
                $0.effect.registration.subjectKey = Data([1])
            }, in: try scope())
        let rejection = try #require(appraisal.failure?.rejection)
        #expect(rejection.code.rawValue == "kiosk_closed" && rejection.retry == .later && rejection.detail == "open from 8 ")
        #expect(appraisal.claims.all.isEmpty && appraisal.effect == .none && appraisal.assurance == .none)
    }

    @Test("A rejection may have one of Assay's codes, whose retry class is that of the table")
    func builtInCode() throws {
        let appraisal = try PluginAppraisal(
            response { $0.findings = [Messages.finding("signature", .fail, "bad_signature")] }, in: try scope())
        #expect(appraisal.failure?.rejection == Rejection(.badSignature, ""))
    }

    @Test("An answer without findings, with an unknown outcome, or with an undeclared code is refused whole")
    func findings() throws {
        let scope = try scope()
        #expect(fault(response { $0.findings = [] }, scope)?.contains("no finding") == true)
        #expect(fault(response { $0.findings[0].outcome = .unspecified }, scope)?.contains("no outcome") == true)
        #expect(fault(response { $0.findings[0].outcome = .UNRECOGNIZED(9) }, scope)?.contains("no outcome") == true)
        #expect(
            fault(response { $0.findings = [Messages.finding("x", .fail, "made_up")] }, scope)?.contains("'made_up'") == true)
        #expect(fault(response { $0.findings = [Messages.finding("x", .fail, "")] }, scope)?.contains("a reason code") == true)
        #expect(
            fault(response { $0.findings = [Messages.finding("x", .fail, "plugin_quarantined")] }, scope)
                == "the reason code 'plugin_quarantined' says what only Assay decides")
        let many = response { $0.findings = Array(repeating: Messages.finding("x"), count: 65) }
        #expect(fault(many, scope)?.contains("65 findings") == true)
    }

    @Test("Claims that were not declared, stand twice, or have another kind or length than declared are refused")
    func claims() throws {
        let scope = try scope()
        func changed(_ change: @escaping (inout [Assay_Plugin_V1_Claim]) -> Void) -> String? {
            fault(response { change(&$0.claims) }, scope)
        }
        #expect(changed { $0[0].name = "other".data }?.contains("'other' was not declared") == true)
        #expect(changed { $0 += $0 }?.contains("stands twice") == true)
        #expect(changed { $0[0].integer = 5 }?.contains("another kind") == true)
        #expect(changed { $0[0].value = nil }?.contains("no value") == true)
        #expect(changed { $0[0].text = Data([0xff]) }?.contains("no value") == true)
        #expect(changed { $0[0].text = Data(repeating: 0x61, count: 4097) }?.contains("too long") == true)
        #expect(changed { $0[0].text = Data(repeating: 0x61, count: 4096) } == nil)
    }

    @Test("Client data other than those of the request are refused")
    func clientData() throws {
        let scope = try scope()
        #expect(fault(response { $0.verifiedClientDataSha256 = Data() }, scope)?.contains("client data") == true)
        #expect(fault(response { $0.verifiedClientDataSha256 = Data(count: 32) }, scope)?.contains("client data") == true)
    }

    @Test("A registration outside of its purpose, an advance without a device, and keys of wrong length are refused")
    func effects() throws {
        let registering = response { $0.effect.registration.subjectKey = Data([1, 2]) }
        #expect(fault(registering, try scope())?.contains("another purpose") == true)
        #expect(fault(registering, try scope(purpose: .register)) == nil)
        #expect(fault(response { $0.effect.registration.subjectKey = Data() }, try scope(purpose: .register)) != nil)
        #expect(fault(response { $0.effect.registration.subjectKey = Data(count: 1025) }, try scope(purpose: .register)) != nil)
        let advancing = response { $0.effect.advance.counter = 9 }
        #expect(fault(advancing, try scope())?.contains("no device was located") == true)
        #expect(try PluginAppraisal(advancing, in: scope(hasDevice: true)).effect == .advance(counter: 9))
    }

    @Test("One subject key has different key ids in two plugins and in two formats")
    func keyIDs() throws {
        let here = try scope().keyID(ofSubjectKey: [1, 2, 3])
        #expect(here.count == 32)
        #expect(try here != scope(plugin: "till").keyID(ofSubjectKey: [1, 2, 3]))
        #expect(try here != scope(format: { $0.name = "example.kioskx".data }).keyID(ofSubjectKey: [1, 2, 3]))
        #expect(try here != scope().keyID(ofSubjectKey: [1, 2, 3, 0]))
    }

    @Test("Single use needs 1 to 4 tokens with a time after now and at most 400 days ahead")
    func tokens() throws {
        let scope = try scope { $0.freshness = .singleUse }
        let token = Assay_Plugin_V1_UsedToken.with {
            ($0.token, $0.untilUnixMs, $0.usedCode) = (Data([9]), Self.now.unixMilliseconds + 1, "kiosk_closed".data)
        }
        #expect(fault(response(), scope)?.contains("0 tokens") == true)
        #expect(fault(response { $0.usedTokens = Array(repeating: token, count: 5) }, scope)?.contains("5 tokens") == true)
        let appraisal = try PluginAppraisal(response { $0.usedTokens = [token] }, in: scope)
        guard case .tokens(let tokens) = appraisal.use, let read = tokens.first else {
            Issue.record("no token")
            return
        }
        #expect(read.digest.count == 32 && read.used.code.rawValue == "kiosk_closed")
        for (change, isGood) in [(-1, false), (0, false), (1, true), (400 * 86_400_000, true), (400 * 86_400_000 + 1, false)]
            as [(Int64, Bool)]
        {
            var other = token
            other.untilUnixMs = Self.now.unixMilliseconds + change
            #expect((fault(response { $0.usedTokens = [other] }, scope) == nil) == isGood, "\(change)")
        }
        var long = token
        long.token = Data(count: 65)
        #expect(fault(response { $0.usedTokens = [long] }, scope)?.contains("65 bytes") == true)
    }

    @Test("A statement needs a digest of 32 bytes and a time")
    func statement() throws {
        let scope = try scope { $0.freshness = .statement }
        #expect(fault(response(), scope)?.contains("0 bytes") == true)
        let good = response {
            ($0.statement.digest, $0.statement.untilUnixMs) = (Data(count: 32), Self.now.unixMilliseconds + 5)
        }
        let appraisal = try PluginAppraisal(good, in: scope)
        guard case .statement(let digest, let until) = appraisal.use else {
            Issue.record("no statement")
            return
        }
        #expect(digest.count == 32 && digest != [UInt8](repeating: 0, count: 32))
        #expect(until == Self.now.adding(milliseconds: 5))
    }

    // MARK: Parts of payloads

    private func partScope(_ payload: [UInt8]? = Self.payload, purpose: Purpose = .assert) throws -> PluginScope {
        try scope(purpose: purpose, payload: payload) { format in
            (format.freshness, format.measures) = (.payload, ["lidar".data, "moire".data])
            format.codes[0].vendorCode = "ERR 7"
        }
    }

    /// An accepting answer of a part, with one measurement.
    private func part(
        _ change: (inout Assay_Plugin_V1_AppraiseResponse) -> Void = { _ in }
    ) -> Assay_Plugin_V1_AppraiseResponse {
        response { response in
            (response.verifiedClientDataSha256, response.verifiedPayloadSha256) = (Data(), Data(Self.payload))
            response.assurance = .none
            response.measurements = [.with { ($0.signal, $0.outcome, $0.detail) = ("lidar".data, .pass, "deviation 0.6 m") }]
            change(&response)
        }
    }

    @Test("A part of a payload is read with its claims and measurements, without assurance")
    func parts() throws {
        let appraisal = try PluginAppraisal(part(), in: try partScope())
        #expect(appraisal.use == .payload && appraisal.claims.text("place") == "hall" && appraisal.assurance == .none)
        #expect(appraisal.measurements == [SignalMeasurement(signal: "lidar", outcome: .pass, detail: "deviation 0.6 m")])
        for (outcome, read) in [(Assay_Plugin_V1_Outcome.fail, Signal.Outcome.fail), (.unavailable, .unavailable)] {
            let measured = try PluginAppraisal(part { $0.measurements[0].outcome = outcome }, in: try partScope())
            #expect(measured.failure == nil && !measured.isOpen && measured.measurements.first?.outcome == read)
        }
        #expect(try PluginAppraisal(part { $0.measurements = [] }, in: try partScope()).measurements.isEmpty)
    }

    @Test("A part that was shown to belong to no payload, or to another than the request's, is refused")
    func otherPayload() throws {
        let words = "the payload that the plugin says its evidence belongs to is not that of the request"
        for digest in [Data(count: 32), Data(Self.payload.dropLast()), Data(Self.payload + [0]), Data(Self.clientData)] {
            #expect(fault(part { $0.verifiedPayloadSha256 = digest }, try partScope()) == words)
        }
        #expect(fault(part(), try partScope(nil)) == words, "no payload is known")
        let silent = "the plugin does not say which payload its evidence belongs to (verified_payload_sha256)"
        #expect(fault(part { $0.verifiedPayloadSha256 = Data() }, try partScope()) == silent)
        #expect(fault(part { $0.verifiedPayloadSha256 = Data() }, try partScope(nil)) == silent)
    }

    @Test("A part registers nothing, advances nothing and uses nothing up")
    func partsChangeNothing() throws {
        let words = "a part of a payload registers, advances or uses up something, and has nothing of its own"
        let until = Self.now.unixMilliseconds + 5
        #expect(
            fault(part { $0.effect.registration.subjectKey = Data([1]) }, try partScope(purpose: .register)) == words)
        #expect(fault(part { $0.effect.advance.counter = 1 }, try partScope()) != nil)
        let token = Assay_Plugin_V1_UsedToken.with { ($0.token, $0.untilUnixMs) = (Data([9]), until) }
        #expect(fault(part { $0.usedTokens = [token] }, try partScope()) == words)
        #expect(
            fault(part { ($0.statement.digest, $0.statement.untilUnixMs) = (Data(count: 32), until) }, try partScope()) == words
        )
    }

    @Test("Measurements that were not declared, stand twice, have another outcome or too long a sentence are refused")
    func measurements() throws {
        let scope = try partScope()
        func changed(_ change: @escaping (inout [Assay_Plugin_V1_Measurement]) -> Void) -> String? {
            fault(part { change(&$0.measurements) }, scope)
        }
        #expect(changed { $0[0].signal = "parallax".data } == "the signal 'parallax' was not declared")
        #expect(changed { $0[0].signal = "Li dar".data }?.hasPrefix("a signal is") == true)
        #expect(changed { $0 += $0 } == "the signal 'lidar' is measured twice")
        for outcome in [Assay_Plugin_V1_Outcome.skipped, .note, .unspecified, .UNRECOGNIZED(9)] {
            #expect(
                changed { $0[0].outcome = outcome } == "the measurement of 'lidar' is neither PASS nor FAIL nor UNAVAILABLE")
        }
        #expect(changed { $0[0].detail = String(repeating: "x", count: 1024) } == nil)
        #expect(
            changed { $0[0].detail = String(repeating: "x", count: 1025) }
                == "the measurement of 'lidar' has a detail of 1025 bytes, want at most 1024")
        #expect(changed { $0 = Array(repeating: $0[0], count: 17) } == "17 measurements, the limit is 16")
    }

    @Test("A payload or a measurement beside another freshness is refused")
    func measurementsBeside() throws {
        let words = "a payload is verified or measured, and the evidence is no part of a payload"
        let measurement = Assay_Plugin_V1_Measurement.with { ($0.signal, $0.outcome) = ("lidar".data, .pass) }
        #expect(fault(response { $0.measurements = [measurement] }, try scope()) == words)
        #expect(fault(response { $0.verifiedPayloadSha256 = Data(Self.payload) }, try scope()) == words)
    }

    @Test("After a failed or open check of a part nothing of its measurements counts, and the finding has the vendor code")
    func failedParts() throws {
        for outcome in [Assay_Plugin_V1_Outcome.fail, .unavailable] {
            let answer = part { $0.findings.append(Messages.finding("hours", outcome, "kiosk_closed")) }
            let appraisal = try PluginAppraisal(answer, in: try partScope())
            #expect(appraisal.measurements.isEmpty && appraisal.claims.all.isEmpty)
            #expect(appraisal.findings.map(\.vendorCode) == ["", "", "ERR 7"])
        }
        let note = part { $0.findings.append(Messages.finding("hours", .note, "kiosk_closed")) }
        #expect(try PluginAppraisal(note, in: try partScope()).findings.allSatisfy { $0.vendorCode.isEmpty })
    }
}
