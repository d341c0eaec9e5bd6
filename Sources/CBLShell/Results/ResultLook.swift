/// How results look that a person reads, as the settings of the interactive shell say. One-shot commands have the defaults.
struct ResultLook: Equatable, Sendable {
    /// When headings stand above the rows of tables and their like.
    enum Headers: String, CaseIterable, Sendable {
        /// Always, but not above the only column of a table.
        case auto
        case on, off

        static let names = allCases.map(\.rawValue)
    }

    var widths = ColumnWidths.auto
    var headers = Headers.auto
    /// What stands for null where rows are not JSON.
    var null = "null"
    /// No more rows of a query than these are shown on the screen.
    var rowLimit: Int?
    /// Break rows of JSON into lines that fit the screen.
    var foldsJSON = false
    /// Say below the rows how many there are, and how long that took.
    var tellsRows = false
}

/// How wide the columns of a table may be.
struct ColumnWidths: Equatable, Sendable, CustomStringConvertible {
    /// One number for all columns, or one for each, the first first; 0 leaves a column as wide as it is.
    private let limits: [Int]

    static let auto = ColumnWidths(limits: [])
    private static let widest = 100_000

    private init(limits: [Int]) { self.limits = limits }

    /// Reads `auto`, `20` or `10 0 30`.
    init(_ text: String) throws(CommandError) {
        guard text != "auto" else {
            self = .auto
            return
        }
        var limits: [Int] = []
        for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
            guard let limit = Int(word), (0...ColumnWidths.widest).contains(limit) else {
                throw .usage(
                    ".width needs auto, a number of columns, or one for each column, not \"\(word)\"",
                    hint: "For example .width 20, or .width 10 0 30, where 0 is as wide as is needed.")
            }
            limits.append(limit)
        }
        guard !limits.isEmpty else { throw .usage(".width needs auto, a number of columns, or one for each column") }
        self.limits = limits == [0] ? [] : limits
    }

    /// The most that a column may have, if that is limited.
    func limit(ofColumn column: Int) -> Int? {
        let limit = limits.count == 1 ? limits[0] : column < limits.count ? limits[column] : 0
        return limit > 0 ? limit : nil
    }

    var description: String { limits.isEmpty ? "auto" : limits.map { "\($0)" }.joined(separator: " ") }
}
