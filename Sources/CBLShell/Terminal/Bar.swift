/// A bar that stands for a part of something: blocks and eighths of blocks where the screen has them, otherwise number signs.
///
///     ███████▌
struct Bar {
    let width: Int
    let usesBlocks: Bool

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// A bar of at most so many columns.
    init(width: Int, usesBlocks: Bool = Terminal.showsUnicode) {
        self.width = max(1, width)
        self.usesBlocks = usesBlocks
    }

    /// What is there, however little, can be seen.
    func text(_ part: Double, of whole: Double) -> String {
        guard part > 0, whole > 0 else { return "" }
        let length = min(1, part / whole) * Double(width)
        guard usesBlocks else { return String(repeating: "#", count: max(1, Int(length.rounded()))) }
        let eighths = max(1, Int((length * 8).rounded()))
        return String(repeating: "█", count: eighths / 8) + Bar.eighths[eighths % 8]
    }
}

extension Terminal {
    /// Whether the person's locale says that text is UTF-8.
    static var showsUnicode: Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap { environment($0) }.first { !$0.isEmpty } ?? ""
        let encoding = locale.lowercased()
        return encoding.contains("utf-8") || encoding.contains("utf8")
    }
}
