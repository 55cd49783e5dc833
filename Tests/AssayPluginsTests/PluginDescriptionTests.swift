import AssayAPI
import AssayCore
import Testing

@testable import AssayPlugins

@Suite("What a plugin says of itself")
struct PluginDescriptionTests {
    func fault(_ response: Assay_Plugin_V1_DescribeResponse, expected: String = "kiosk") -> String? {
        do throws(PluginFault) {
            _ = try PluginDescription(response, expected: expected)
            return nil
        } catch { return error.description }
    }

    @Test("A description is read with all that it declares")
    func whole() throws {
        let plugin = try PluginDescription(Messages.description(), expected: "kiosk")
        #expect(plugin.name == "kiosk" && plugin.version == "1.2.0" && plugin.protocolVersion == 1)
        #expect(plugin.hostServices == [.findDevice])
        #expect(plugin.configurationKeys.map(\.name) == ["key"] && plugin.configurationKeys.first?.isRequired == true)
        let format = try #require(plugin.formats.first)
        #expect(format.name.rawValue == "example.kiosk" && format.purposes == [.register, .assert])
        #expect(format.freshness == .challenge && format.sizeLimit == 4096)
        #expect(format.claims == ["place": .text, "number": .integer] && format.codes == ["kiosk_closed": .later])
    }

    @Test("A plugin of another name than its catalog entry is refused, and the message has both names")
    func otherName() {
        #expect(fault(Messages.description(), expected: "till")?.contains("'kiosk', and the catalog's entry is 'till'") == true)
    }

    @Test(
        "Names that are empty, too long or of other characters are refused",
        arguments: ["", "Kiosk", "ki osk", "kiosk\n", "kiösk", String(repeating: "k", count: 65)])
    func names(_ name: String) {
        #expect(fault(Messages.description { $0.name = name.data })?.hasPrefix("the plugin's name is") == true)
        #expect(fault(Messages.description(format: { $0.name = name.data }))?.hasPrefix("a format is") == true)
        #expect(fault(Messages.description(format: { $0.claims[0].name = name.data }))?.hasPrefix("a claim is") == true)
        #expect(fault(Messages.description(format: { $0.codes[0].code = name.data }))?.hasPrefix("a reason code is") == true)
        #expect(
            fault(Messages.description { $0.configurationKeys[0].name = name.data })?.hasPrefix("a configuration key is")
                == true)
    }

    @Test("Without a version of the protocol in common, the message has both lists")
    func versions() {
        let text = fault(Messages.description { $0.protocolVersions = [2, 3] })
        #expect(text?.contains("[2, 3]") == true && text?.contains("[1]") == true)
        #expect(fault(Messages.description { $0.protocolVersions = [] }) != nil)
    }

    @Test("Formats without purpose, freshness or a size within the limit are refused")
    func formats() {
        #expect(fault(Messages.description(format: { $0.purposes = [.unspecified] }))?.contains("no purpose") == true)
        #expect(fault(Messages.description(format: { $0.freshness = .unspecified }))?.contains("accepted twice") == true)
        #expect(fault(Messages.description(format: { $0.sizeLimit = 0 }))?.contains("size limit 0") == true)
        #expect(fault(Messages.description(format: { $0.sizeLimit = 524_289 }))?.contains("size limit 524289") == true)
        #expect(fault(Messages.description(format: { $0.sizeLimit = 524_288 })) == nil)
    }

    @Test("What is declared twice, and more than the limits, is refused")
    func limits() {
        #expect(fault(Messages.description { $0.formats += $0.formats })?.contains("declared twice") == true)
        #expect(fault(Messages.description(format: { $0.claims += $0.claims }))?.contains("declared twice") == true)
        #expect(fault(Messages.description(format: { $0.codes += $0.codes }))?.contains("declared twice") == true)
        #expect(
            fault(Messages.description { $0.formats = Array(repeating: $0.formats[0], count: 17) })?.contains("17 formats")
                == true)
    }

    private func part(_ change: (inout Assay_Plugin_V1_Format) -> Void = { _ in }) -> Assay_Plugin_V1_DescribeResponse {
        Messages.description(format: { format in
            (format.freshness, format.measures) = (.payload, ["lidar".data, "moire".data])
            change(&format)
        })
    }

    @Test("A format that is a part of a payload has signals that it measures, and locates no device")
    func parts() throws {
        let format = try #require(try PluginDescription(part(), expected: "kiosk").formats.first)
        #expect(format.freshness == .payload && format.measures == ["lidar", "moire"])
        #expect(fault(part { $0.measures = [] }) == nil)
        #expect(
            fault(part { $0.locates = true })
                == "the format 'example.kiosk' is a part of a payload and locates a device: it has none of its own")
    }

    @Test("Signals beside another freshness, twice, of other characters, and above the limits are refused")
    func measures() {
        for freshness in [Assay_Plugin_V1_Freshness.challenge, .singleUse, .statement] {
            #expect(
                fault(part { $0.freshness = freshness })
                    == "the format 'example.kiosk' measures signals, which only a part of a payload can")
        }
        #expect(fault(part { $0.measures += $0.measures }) == "the measured signal 'lidar' is declared twice")
        #expect(fault(part { $0.measures = ["Lidar".data] })?.hasPrefix("a signal is 'Lidar'") == true)
        #expect(fault(part { $0.measures = ["".data] })?.hasPrefix("a signal is ''") == true)
        #expect(fault(part { $0.measures = [String(repeating: "l", count: 32).data] }) == nil)
        #expect(fault(part { $0.measures = [String(repeating: "l", count: 33).data] })?.contains("33 bytes") == true)
        #expect(fault(part { $0.measures = (0..<16).map { "signal_\($0)".data } }) == nil)
        #expect(fault(part { $0.measures = (0..<17).map { "signal_\($0)".data } })?.contains("17 signals") == true)
    }

    @Test("A vendor code is at most 64 printable ASCII characters")
    func vendorCodes() throws {
        func declared(_ code: String) -> Assay_Plugin_V1_DescribeResponse {
            Messages.description(format: { $0.codes[0].vendorCode = code })
        }
        let format = try #require(try PluginDescription(declared("ERR 7 (closed)"), expected: "kiosk").formats.first)
        #expect(format.vendorCodes == ["kiosk_closed": "ERR 7 (closed)"])
        #expect(try PluginDescription(declared(""), expected: "kiosk").formats.first?.vendorCodes == [:])
        #expect(fault(declared(String(repeating: "7", count: 64))) == nil)
        for code in [String(repeating: "7", count: 65), "a\nb", "\u{1B}[2J", "é", "\u{7F}"] {
            #expect(fault(declared(code))?.hasPrefix("a vendor code is") == true)
        }
    }

    @Test("A plugin that neither appraises nor observes is refused; one that only observes is not")
    func idle() {
        #expect(fault(Messages.description { $0.formats = [] })?.contains("neither") == true)
        #expect(fault(Messages.description { ($0.formats, $0.observes) = ([], true) }) == nil)
    }

    @Test("Values of a later version of the protocol are stepped over")
    func later() throws {
        let plugin = try PluginDescription(
            Messages.description(
                { $0.hostServices = [.UNRECOGNIZED(99), .deriveKey] }, format: { $0.purposes.append(.UNRECOGNIZED(9)) }),
            expected: "kiosk")
        #expect(plugin.hostServices == [.deriveKey] && plugin.formats.first?.purposes == [.register, .assert])
    }
}
