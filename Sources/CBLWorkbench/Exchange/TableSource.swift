import CBLBase
import CBLFleece
import CBLStore

/// Documents as the rows of a CSV or TSV file (RFC 4180). The first row names the properties.
///
/// A cell without quotes is what it looks like: a number, `true`, `false`, `null`, or text; an empty one is no property. A cell in quotes is
/// text, unless it is a JSON array or object. So a table that `DelimitedText` has written comes back as it was.
package final class TableSource: DocumentSource {
    private let input: InputSource
    /// Found out from the heading if nobody says it.
    package private(set) var delimiter: Delimiter?
    private let types: CellTypes
    private let idKey: String
    /// Somebody has said which column it is.
    private let needsID: Bool
    /// Takes away the apostrophes that `FormulaGuard` puts in front of texts.
    private let removesGuards: Bool
    private var columns: [(name: String, type: CellTypes.CellType)]?
    /// What the digits in a column became.
    private struct Digits {
        var areNumbers = false
        /// One that begins with a zero, which would be lost.
        var text: String?
    }
    private var digits: [Digits] = []
    /// Columns, of which nobody says what they are, that have become numbers in some rows and texts in others: postal codes, as a rule.
    package var torn: [(name: String, text: String)] {
        zip(columns ?? [], digits).compactMap { column, digits in digits.areNumbers ? digits.text.map { (column.name, $0) } : nil }
    }
    private var line = 1

    private var firstLine = 1

    package var name: String { input.name }
    package var place: String { "\(name), line \(firstLine)" }
    package var position: Int { input.offset }
    package var size: Int? { input.size }

    package init(
        _ input: InputSource, delimiter: Delimiter?, idKey: String, needsID: Bool = false, types: CellTypes = CellTypes(),
        removesGuards: Bool = false
    ) {
        self.needsID = needsID
        self.removesGuards = removesGuards
        self.types = types
        self.input = input
        self.delimiter = delimiter
        self.idKey = idKey
    }

    private struct Cell {
        var bytes: [UInt8] = []
        var isQuoted = false
    }

    package func next(into encoder: FleeceEncoder, id: inout ByteBuffer) throws -> Bool {
        if columns == nil {
            if delimiter == nil { delimiter = try delimiterOfHeading() }
            guard let heading = try row() else { return false }
            try setColumns(heading)
        }
        guard let columns else { return false }
        firstLine = line
        guard let cells = try row() else { return false }
        guard cells.count <= columns.count else {
            throw MalformedDocument(message: "\(place): \(cells.count) cells, but the heading has \(columns.count)")
        }
        encoder.beginDictionary()
        for (index, (column, cell)) in zip(columns, cells).enumerated() {
            if column.name.utf8.elementsEqual(idKey.utf8) {
                cell.bytes.withUnsafeBytes { id.append($0) }
            } else if cell.isQuoted || !cell.bytes.isEmpty {
                encoder.writeKey(column.name)
                guard cell.bytes.withUnsafeBytes(isUTF8) else {
                    throw MalformedDocument(message: "\(place): \"\(column.name)\" is not valid UTF-8")
                }
                if column.type == .auto, !cell.isQuoted { note(cell, in: index) }
                try write(cell, column, to: encoder)
            }
        }
        encoder.endDictionary()
        return true
    }

    private func setColumns(_ heading: [Cell]) throws {
        var names: [String] = []
        // Byte by byte: two spellings of one word are two names.
        var known: Set<[UInt8]> = []
        for cell in heading {
            guard let name = String(validating: cell.bytes, as: UTF8.self) else {
                throw FileError("\(name), line 1: the heading is not valid UTF-8")
            }
            guard known.insert(cell.bytes).inserted else {
                throw FileError("\(self.name), line 1: two columns are called \"\(name)\"")
            }
            names.append(name)
        }
        if let unknown = types.unknown(among: names) {
            let suggestion = Suggestion.sentence(for: unknown, in: names, quoted: true)
            throw FileError("\(self.name), line 1: no column is called \"\(unknown)\".\(suggestion)")
        }
        if needsID, !names.contains(where: { $0.utf8.elementsEqual(idKey.utf8) }) {
            let suggestion = Suggestion.sentence(for: idKey, in: names, quoted: true)
            throw FileError("\(self.name), line 1: no column is called \"\(idKey)\".\(suggestion)")
        }
        columns = names.map { ($0, types.type(ofColumn: $0)) }
        digits = names.map { _ in Digits() }
    }

    private func note(_ cell: Cell, in index: Int) {
        guard cell.bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
        if cell.bytes.count == 1 || cell.bytes[0] != UInt8(ascii: "0") {
            digits[index].areNumbers = true
        } else if digits[index].text == nil {
            digits[index].text = String(decoding: cell.bytes.prefix(20), as: UTF8.self)
        }
    }

    private static let longestHeading = 1 << 16
    private static let mostColumns = 100_000
    private static let longestCell = 1 << 28

    /// What stands most often in the first line outside of quotes, of what separates cells in some program; a comma where there is nothing.
    private func delimiterOfHeading() throws -> Delimiter {
        while input.window.count < TableSource.longestHeading, !input.window.contains(UInt8(ascii: "\n")), try input.readMore() {}
        var counts = Delimiter.usual.map { _ in 0 }
        var isQuoted = false
        for byte in input.window.prefix(TableSource.longestHeading) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if byte == UInt8(ascii: "\n") { break }
            if let index = Delimiter.usual.firstIndex(where: { $0.first == byte }) { counts[index] += 1 }
        }
        let most = counts.max() ?? 0
        return counts.firstIndex(of: most).map { Delimiter.usual[$0] } ?? .comma
    }

    /// The cells of the next row that is not empty; nil at the end.
    private func row() throws -> [Cell]? {
        while true {
            guard let cells = try cells() else { return nil }
            if cells.count > 1 || cells.first.map({ $0.isQuoted || !$0.bytes.isEmpty }) ?? false {
                return removesGuards ? cells.map(TableSource.unguarded) : cells
            }
        }
    }

    private func cells() throws -> [Cell]? {
        guard var byte = try nextByte() else { return nil }
        var cells: [Cell] = []
        while true {
            var cell = Cell()
            if byte == UInt8(ascii: "\"") {
                cell.isQuoted = true
                try readQuoted(into: &cell)
                guard let following = try nextByte() else { return cells + [cell] }
                byte = following
            }
            while try !isDelimiter(byte), byte != UInt8(ascii: "\n") {
                cell.bytes.append(byte)
                guard cell.bytes.count < TableSource.longestCell else { throw tooLong }
                guard let following = try nextByte() else {
                    trimReturn(&cell)
                    return cells + [cell]
                }
                byte = following
            }
            if byte == UInt8(ascii: "\n") {
                line += 1
                trimReturn(&cell)
                return cells + [cell]
            }
            cells.append(cell)
            guard cells.count < TableSource.mostColumns else {
                throw FileError("\(name), line \(line): a row has more than \(TableSource.mostColumns) cells")
            }
            guard let following = try nextByte() else { return cells + [Cell()] }
            byte = following
        }
    }

    /// Whether a delimiter begins with a byte that was read; then all of it is.
    private func isDelimiter(_ byte: UInt8) throws -> Bool {
        guard let delimiter, byte == delimiter.first else { return false }
        let rest = delimiter.bytes.dropFirst()
        guard !rest.isEmpty else { return true }
        while input.window.count < rest.count, try input.readMore() {}
        guard input.window.starts(with: rest) else { return false }
        input.consume(rest.count)
        return true
    }

    private var tooLong: FileError {
        FileError("\(name), line \(firstLine): a cell has more than \(TableSource.longestCell >> 20) MiB; perhaps a quote is missing")
    }

    private static func unguarded(_ cell: Cell) -> Cell {
        cell.isQuoted ? Cell(bytes: FormulaGuard.unguarded(cell.bytes), isQuoted: true) : cell
    }

    private func trimReturn(_ cell: inout Cell) {
        if cell.bytes.last == UInt8(ascii: "\r") { cell.bytes.removeLast() }
    }

    /// Reads to the closing quote; two of them stand for one.
    private func readQuoted(into cell: inout Cell) throws {
        firstLine = line
        while let byte = try nextByte() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte == UInt8(ascii: "\"") {
                guard input.window.first == UInt8(ascii: "\"") else { return }
                input.consume(1)
            }
            cell.bytes.append(byte)
            guard cell.bytes.count < TableSource.longestCell else { throw tooLong }
        }
        throw FileError("\(name), line \(firstLine): a quoted cell is not closed; nothing was imported from this file")
    }

    /// The next byte, and at least one more in the window if there is one.
    private func nextByte() throws -> UInt8? {
        while input.window.count < 2, try input.readMore() {}
        guard let byte = input.window.first else { return nil }
        if input.offset == 0, input.window.starts(with: [0xEF, 0xBB, 0xBF]) {
            input.consume(3)
            return try nextByte()
        }
        input.consume(1)
        return byte
    }

    private func write(_ cell: Cell, _ column: (name: String, type: CellTypes.CellType), to encoder: FleeceEncoder) throws {
        let text = { String(decoding: cell.bytes, as: UTF8.self) }
        let isNumber = { (first: UInt8) in first == UInt8(ascii: "-") || (0x30...0x39).contains(first) }
        switch column.type {
        case .auto: return write(cell, to: encoder)
        case .text: return encoder.write(text())
        case .number where cell.bytes.first.map(isNumber) == true && isJSON(cell.bytes), .json where isJSON(cell.bytes):
            return try cell.bytes.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
        case .boolean:
            switch text().lowercased() {
            case "true", "yes", "1": return encoder.write(true)
            case "false", "no", "0": return encoder.write(false)
            default: break
            }
        case .number, .json: break
        }
        let kind = column.type == .number ? "a number" : column.type == .boolean ? "true or false" : "JSON"
        throw MalformedDocument(message: "\(place): \"\(column.name)\" is to be \(kind), and is \"\(text())\"")
    }

    private func write(_ cell: Cell, to encoder: FleeceEncoder) {
        let first = cell.bytes.first ?? 0
        let isCollection = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let mayBeJSON = isCollection || !cell.isQuoted && (first == UInt8(ascii: "-") || (0x30...0x39).contains(first))
        if mayBeJSON, isJSON(cell.bytes) {
            // It parses: that was just seen.
            try? cell.bytes.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return
        }
        if !cell.isQuoted {
            switch String(decoding: cell.bytes, as: UTF8.self) {
            case "true", "TRUE", "True": return encoder.write(true)
            case "false", "FALSE", "False": return encoder.write(false)
            case "null": return encoder.writeNull()
            default: break
            }
        }
        encoder.write(String(decoding: cell.bytes, as: UTF8.self))
    }

    private func isJSON(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { text in
            scratch.reset()
            return (try? JSONParser.parse(text, into: scratch)) != nil
        }
    }

    private let scratch = FleeceEncoder()
}
