import Foundation

/// A picture of a load: the latency at each percentile, a line for each operation. One SVG that needs nothing else, and follows the reader's
/// light or dark theme.
///
/// The axis of percentiles is logarithmic in what is left of 100 %: 90 %, 99 % and 99.9 % are equally far apart, so that the slowest calls
/// can be seen.
package struct LatencyPlot {
    private struct Line {
        let name: String
        let points: [(x: Double, latency: Duration)]
    }

    private static let (width, height) = (900.0, 480.0)
    private static let (left, right, top, bottom) = (76.0, 24.0, 64.0, 56.0)
    /// Of each halving of what is left of 100 %.
    private static let pointsPerHalf = 8.0
    /// Beyond one call of a hundred million.
    private static let deepest = 8.0

    private let title: String
    private let lines: [Line]
    private let depth: Double
    private let highest: Double

    /// - Parameter title: what was measured, in one line.
    package init(_ report: LoadReport, title: String) {
        self.title = title
        let measured = report.operations.filter { !$0.latency.isEmpty }
        lines = measured.map { Line(name: $0.name, points: Self.points(of: $0.latency)) }
        let ends = lines.compactMap(\.points.last)
        depth = max(1, ends.map(\.x).max() ?? 1)
        highest = Self.roundedUp(ends.map(\.latency.milliseconds).max() ?? 1)
    }

    /// How many powers of ten are left of 100 %, and the latency there. The last point is the slowest call.
    private static func points(of latency: LatencyHistogram) -> [(x: Double, latency: Duration)] {
        let last = min(deepest, log10(Double(latency.count)))
        var points: [(Double, Duration)] = []
        var x = 0.0
        while x < last {
            let left: Double = pow(10, -x)
            points.append((x, latency.value(at: 100 - 100 * left)))
            x += log10(2.0) / pointsPerHalf
        }
        return points + [(last, latency.max)]
    }

    /// A number of one or two digits, with zeros.
    private static func roundedUp(_ value: Double) -> Double {
        let power: Double = pow(10, log10(max(value, 0.001)).rounded(.down))
        let steps: [Double] = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8]
        return power * (steps.first { $0 * power >= value } ?? 10)
    }

    // MARK: SVG

    package var svg: String {
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" aria-label="Latency by percentile">
            <style>
            svg{background:#fff;color:#1b1b1b;font:13px system-ui,sans-serif}
            text{fill:currentColor}
            .grid{stroke:#8886;stroke-width:1}
            .line{fill:none;stroke-width:2}
            .s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#cc79a7}.s4{stroke:#8a6d00}.s5{stroke:#5a4fcf}
            @media (prefers-color-scheme:dark){
            svg{background:#16181c;color:#e8e8e8}
            .s0{stroke:#56b4e9}.s1{stroke:#ff8f3f}.s2{stroke:#34d1a0}.s3{stroke:#e8a6cb}.s4{stroke:#f0e442}.s5{stroke:#a59cff}
            }
            </style>
            <title>\(Self.escaped(title))</title>
            <text x="\(Int(Self.left))" y="22">\(Self.escaped(title))</text>

            """
        svg += grid + legend
        for (index, line) in lines.enumerated() {
            let points = line.points.map { "\(Self.number(x($0.x))),\(Self.number(y($0.latency.milliseconds)))" }
            svg += "<polyline class=\"line s\(index % 6)\" points=\"\(points.joined(separator: " "))\"/>\n"
        }
        return svg + "</svg>\n"
    }

    private var grid: String {
        let (start, end) = (Int(Self.left), Int(Self.width - Self.right))
        let (above, below) = (Int(Self.top), Int(Self.height - Self.bottom))
        var svg = ""
        for step in 0...5 {
            let value = highest * Double(step) / 5
            let (place, text) = (Self.number(y(value)), Self.number(y(value) + 4))
            svg += "<line class=\"grid\" x1=\"\(start)\" x2=\"\(end)\" y1=\"\(place)\" y2=\"\(place)\"/>\n"
            svg += "<text x=\"\(start - 8)\" y=\"\(text)\" text-anchor=\"end\">\(value.decimals(3)) ms</text>\n"
        }
        for mark in marks {
            let place = Self.number(x(mark.depth))
            svg += "<line class=\"grid\" x1=\"\(place)\" x2=\"\(place)\" y1=\"\(above)\" y2=\"\(below)\"/>\n"
            svg += "<text x=\"\(place)\" y=\"\(below + 20)\" text-anchor=\"middle\">\(mark.name)</text>\n"
        }
        let (middle, foot) = ((start + end) / 2, Int(Self.height) - 12)
        svg += "<text x=\"\(middle)\" y=\"\(foot)\" text-anchor=\"middle\">"
        return svg + "percentile of calls; latency from the intended time</text>\n"
    }

    private var legend: String {
        var (svg, x) = ("", Self.left)
        for (index, line) in lines.enumerated() {
            svg += "<line class=\"line s\(index % 6)\" x1=\"\(Int(x))\" x2=\"\(Int(x) + 24)\" y1=\"42\" y2=\"42\"/>\n"
            svg += "<text x=\"\(Int(x) + 30)\" y=\"46\">\(Self.escaped(line.name))</text>\n"
            x += 54 + 8 * Double(line.name.count)
        }
        return svg
    }

    /// The percentiles that are named: as many as the calls reach.
    private var marks: [(depth: Double, name: String)] {
        var marks = [(depth: 0.0, name: "0 %"), (depth: log10(2.0), name: "50 %")]
        var power = 1.0
        while power <= min(depth, Self.deepest) {
            let percentile: Double = 100 - 100 * pow(10, -power)
            marks.append((power, percentile.decimals(6) + " %"))
            power += 1
        }
        return marks
    }

    private func x(_ depth: Double) -> Double {
        let space: Double = Self.width - Self.left - Self.right
        return Self.left + depth / self.depth * space
    }

    private func y(_ milliseconds: Double) -> Double {
        let space: Double = Self.height - Self.top - Self.bottom
        return Self.height - Self.bottom - milliseconds / highest * space
    }

    private static func number(_ value: Double) -> String { value.decimals(1) }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
