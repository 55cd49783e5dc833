/// The table for people: aligned, one line for each bar of a row.
struct TableText {
    private static let titles = ["operation", "raw operation", "raw µs", "CPU of", "µs", "ratio", "bar", "held"]
    private let lines: [[String]]

    init(_ result: TableResult) {
        lines = result.rows.flatMap { row in
            let bars: [(part: Bar.Part, bar: Bar?)] = row.bars.isEmpty ? [(.daemon, nil)] : row.bars.map { ($0.part, $0) }
            return bars.enumerated().map {
                Self.line(row, $0.element.part, $0.element.bar, isFirst: $0.offset == 0, in: result)
            }
        }
    }

    private static func line(
        _ row: RowResult, _ part: Bar.Part, _ bar: Bar?, isFirst: Bool, in result: TableResult
    ) -> [String] {
        let ratio = row.ratio(part)
        let held = bar?.isHeld(by: row, in: result.rows).map { $0 ? "yes" : "NO" }
        var cells = isFirst ? [row.title, row.raw, row.rawMicroseconds.median.text(1)] : ["", "", ""]
        cells += [part.rawValue, row.microseconds(part).median.text(1), ratio.text(ratio.median < 10 ? 2 : 1)]
        cells += [bar?.text ?? "", held ?? ""]
        return cells
    }

    var text: String {
        let all = [Self.titles] + lines
        let widths = Self.titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { line in
            let cells = zip(line, widths).map { cell, width in cell + String(repeating: " ", count: width - cell.count) }
            return cells.joined(separator: "  ").trimmingSuffix { $0 == " " }
        }.joined(separator: "\n")
    }
}

extension Bar {
    /// For people.
    var text: String {
        switch limit {
        case .raw(let ratio): "≤ \(ratio.text(ratio < 10 ? 2 : 1))"
        case .microseconds(let time): "≤ \(time.text(0)) µs"
        case .row(let id): "< \(id)"
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isPadding: (Character) -> Bool) -> String {
        var text = self[...]
        while let last = text.last, isPadding(last) { text.removeLast() }
        return String(text)
    }
}
