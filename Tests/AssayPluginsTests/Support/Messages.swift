import AssayAPI
import AssayCore
import Foundation
import SwiftProtobuf

@testable import AssayPlugins

extension String {
    var data: Data { Data(utf8) }
}

enum Messages {
    /// A plugin with one format, which says everything that can be declared.
    static func description(
        _ change: (inout Assay_Plugin_V1_DescribeResponse) -> Void = { _ in },
        format: (inout Assay_Plugin_V1_Format) -> Void = { _ in }
    ) -> Assay_Plugin_V1_DescribeResponse {
        var response = Assay_Plugin_V1_DescribeResponse.with {
            $0.name = "kiosk".data
            $0.version = "1.2.0"
            $0.protocolVersions = [1, 7]
            $0.configurationKeys = [.with { ($0.name, $0.kind, $0.required) = ("key".data, .text, true) }]
            $0.hostServices = [.findDevice]
            var declared = Assay_Plugin_V1_Format.with {
                $0.name = "example.kiosk".data
                $0.purposes = [.register, .assert]
                $0.sizeLimit = 4096
                $0.freshness = .challenge
                $0.claims = [
                    .with { ($0.name, $0.kind) = ("place".data, .text) },
                    .with { ($0.name, $0.kind) = ("number".data, .integer) },
                ]
                $0.codes = [.with { ($0.code, $0.retry) = ("kiosk_closed".data, .later) }]
            }
            format(&declared)
            $0.formats = [declared]
        }
        change(&response)
        return response
    }

    static func finding(
        _ check: String, _ outcome: Assay_Plugin_V1_Outcome = .pass, _ code: String = "", _ detail: String = ""
    ) -> Assay_Plugin_V1_Finding {
        .with { ($0.check, $0.outcome, $0.code, $0.detail) = (check.data, outcome, code.data, detail) }
    }
}
