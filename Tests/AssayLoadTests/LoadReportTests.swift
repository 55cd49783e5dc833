import Foundation
import Testing

@testable import AssayLoad

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Report of a load")
struct LoadReportTests {
    /// A report of calls with these latencies, in milliseconds.
    private func report(_ latencies: [String: [Int]], answer: CallAnswer = .good) -> LoadReport {
        let plan = LoadPlan(rate: 100, duration: .seconds(1), inFlight: 100)
        let names = latencies.keys.sorted()
        let tally = LoadTally(plan, names.map { ($0, 1) })
        let begin = ContinuousClock.now
        for (index, name) in names.enumerated() {
            for latency in latencies[name] ?? [] {
                _ = tally.enter(index, isMeasured: true)
                tally.end(
                    index, isMeasured: true, due: begin, sent: begin, at: begin + .milliseconds(latency), answer)
            }
        }
        return tally.report(from: begin, to: begin + .seconds(1), isInterrupted: false)
    }

    @Test("A bound holds for each operation, and is told with the latency that exceeds it")
    func bounds() {
        let report = report(["fast": Array(1...100), "slow": Array(101...200)])
        func failures(_ percentile: Double, _ milliseconds: Int) -> [String] {
            LoadExpectations(latencies: [.init(percentile: percentile, limit: .milliseconds(milliseconds))])
                .failures(of: report)
        }
        #expect(failures(99, 200).isEmpty && failures(50, 151).isEmpty)
        let slow = failures(50, 100)
        // To three digits.
        #expect(
            slow.count == 1 && slow[0].hasPrefix("slow: p50 is 150") && slow[0].hasSuffix(" ms; allowed are 100 ms"), "\(slow)")
        #expect(failures(99.9, 90).count == 2 && failures(99.9, 90)[0].hasPrefix("fast: p99.9 is 100 ms"))
    }

    @Test("Calls of which none has a latency do not come below any bound")
    func nothingAnswered() {
        let report = report(["call": [1, 2]], answer: .refused)
        let bounds = LoadExpectations(failedShare: 1, latencies: [.init(percentile: 99, limit: .seconds(1))])
        #expect(bounds.failures(of: report) == ["call: p99 is not known: no call was answered"])
        #expect(LoadExpectations().failures(of: self.report([:])) == ["no call was measured"])
    }

    @Test("A share that fails is allowed up to the bound")
    func share() {
        let report = report(["call": [1, 1, 1, 1]], answer: .rejected)
        #expect(LoadExpectations(failedShare: 1).failures(of: report).isEmpty)
        #expect(LoadExpectations(failedShare: 0.99).failures(of: report).count == 1)
    }

    // MARK: The plot

    /// What an XML parser finds.
    private final class Content: NSObject, XMLParserDelegate {
        var elements: [String: [[String: String]]] = [:]
        var texts: [String] = []
        private var text = ""

        init(_ svg: String) throws {
            super.init()
            let parser = XMLParser(data: Data(svg.utf8))
            parser.delegate = self
            try #require(parser.parse(), "\(parser.parserError as Any) in \(svg)")
        }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements[name, default: []].append(attributes)
            text = ""
        }

        func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

        func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
            if name == "text" { texts.append(text) }
        }
    }

    /// The points of a line.
    private func points(_ line: [String: String]) -> [(x: Double, y: Double)] {
        (line["points"] ?? "").split(separator: " ").compactMap { point in
            let parts = point.split(separator: ",").compactMap { Double($0) }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    @Test("The plot is well-formed, has a line for each operation, and lets the last percent be seen")
    func plot() throws {
        let report = report(["assertion": Array(1...1000), "challenge": Array(1...200)])
        let svg = LatencyPlot(report, title: "a <load> & \"more\"").svg
        let content = try Content(svg)
        let lines = try #require(content.elements["polyline"])
        #expect(lines.count == 2 && content.elements["svg"]?.count == 1)
        #expect(content.texts.contains("a <load> & \"more\"") && content.texts.contains("assertion"))
        for mark in ["0 %", "50 %", "90 %", "99 %", "99.9 %", "1000 ms"] { #expect(content.texts.contains(mark), "\(mark)") }
        #expect(!content.texts.contains("99.99 %"), "no call was so rare")
        for line in lines {
            let points = points(line)
            #expect(points.count > 20)
            #expect(zip(points, points.dropFirst()).allSatisfy { $0.x <= $1.x && $0.y >= $1.y }, "latencies rise to the right")
            #expect(points.allSatisfy { (0...900).contains($0.x) && (0...480).contains($0.y) })
        }
        // 99 % is as far from 90 % as 90 % from 0 %.
        let texts = try #require(content.elements["text"])
        let places = try ["0 %", "90 %", "99 %"].map { name in
            let place = try #require(content.texts.firstIndex(of: name))
            return try #require(texts[place]["x"].flatMap { Double($0) })
        }
        #expect((places[2] - places[1] - (places[1] - places[0])).magnitude < 0.3, "\(places)")
    }

    @Test("The plot needs nothing from elsewhere, and follows a dark theme")
    func selfContained() throws {
        let svg = LatencyPlot(report(["call": [1, 2, 3]]), title: "a load").svg
        #expect(svg.contains("prefers-color-scheme:dark"))
        #expect(svg.components(separatedBy: "http").count == 2, "the name space is the only address")
        #expect(!svg.contains("<script") && !svg.contains("href") && !svg.contains("url("))
    }

    @Test("A load without an answer, or with one, has a plot too")
    func few() throws {
        #expect(try Content(LatencyPlot(report([:]), title: "none").svg).elements["polyline"] == nil)
        let one = try Content(LatencyPlot(report(["call": [5]]), title: "one").svg)
        #expect(one.elements["polyline"]?.count == 1)
    }
}
