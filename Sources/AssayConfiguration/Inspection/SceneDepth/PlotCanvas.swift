import AssayCompression

/// An image with filled rectangles and text.
struct PlotCanvas: Sendable {
    private(set) var image: PNGImage

    static let text = PNGImage.RGB(235, 235, 235)
    static let good = PNGImage.RGB(110, 220, 130)
    static let bad = PNGImage.RGB(255, 120, 110)
    private static let background = PNGImage.RGB(24, 24, 28)

    init(width: Int, height: Int) { image = PNGImage(width: width, height: height, fill: Self.background) }

    mutating func fill(_ left: Int, _ top: Int, _ width: Int, _ height: Int, _ colour: PNGImage.RGB) {
        for y in top..<(top + max(height, 0)) {
            for x in left..<(left + max(width, 0)) { image.set(x, y, colour) }
        }
    }

    /// Writes capital letters, digits and signs, 12 pixels wide and 15 high; other characters are left out, small letters are written as capitals.
    mutating func write(_ text: String, _ left: Int, _ top: Int, _ colour: PNGImage.RGB = PlotCanvas.text) {
        for (index, character) in text.uppercased().enumerated() {
            guard let rows = Self.glyphs[character] else { continue }
            for (y, row) in rows.enumerated() {
                for x in 0..<3 where row & (4 >> UInt8(x)) != 0 {
                    fill(left + index * 12 + x * 3, top + y * 3, 3, 3, colour)
                }
            }
        }
    }

    /// Five rows of three bits for each character, as octal digits from the top.
    private static let glyphs: [Character: [UInt8]] = {
        let table = """
            075557 126227 271747 371717 455711 574717 674757 771122 875757 975717
            A25755 B65656 C34443 D65556 E74647 F74644 G34553 H55755 I72227 J11152 K55655 L44447 M57755 N65555 O25552 P65644 Q25563
            R65655 S34216 T72222 U55557 V55552 W55775 X55255 Y55222 Z71247
            .00002 ,00024 :02020 -00700 %51245 >42124 <12421 =07070 /11244 (12221 )42224
            """
        return table.split(whereSeparator: \.isWhitespace).reduce(into: [:]) { glyphs, entry in
            if let character = entry.first { glyphs[character] = entry.dropFirst().compactMap { UInt8(String($0)) } }
        }
    }()
}
