import CBLBase
import CBLLanguage

/// Counts the lines that text takes on a screen, as it comes piece by piece. A line that is wider than the screen takes several.
struct ScreenLines {
    private let columns: Int
    /// Those of all lines that have ended.
    private(set) var count = 0
    /// The beginning of a line whose end is still to come.
    private var begun: [UInt8] = []

    init(columns: Int) { self.columns = max(1, columns) }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        var rest = text
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if !begun.isEmpty {
                begun += line
                count += begun.withUnsafeBytes { rows(of: $0) }
                begun.removeAll()
            } else {
                count += rows(of: line)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
        }
        begun += rest
    }

    private func rows(of line: UnsafeRawBufferPointer) -> Int {
        max(1, (ScreenLines.width(line) + columns - 1) / columns)
    }

    /// The columns of a line, without the escape sequences that colour it.
    static func width(_ line: UnsafeRawBufferPointer) -> Int {
        if let width = DisplayWidth.ofCommon(line) { return width }
        var plain: [UInt8] = []
        plain.reserveCapacity(line.count)
        var isEscape = false
        for byte in line {
            if byte == 0x1B {
                isEscape = true
            } else if !isEscape {
                plain.append(byte)
            } else if byte == UInt8(ascii: "m") {
                isEscape = false
            }
        }
        return DisplayWidth.of(String(decoding: plain, as: UTF8.self))
    }
}
