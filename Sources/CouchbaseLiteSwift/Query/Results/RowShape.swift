internal import CBLFleece
internal import CBLQuery

/// What all rows of a result have in common.
final class RowShape: Sendable {
    let titles: [String]
    let database: Database
    /// The column of a title. Of few columns, looking at all of them is quicker.
    private let places: [PropertyName: Int]?
    let titleLengths: TitleLengths
    /// The titles as they stand in JSON, each with the sign behind it.
    private let jsonKeys: [String]

    init(_ titles: [String], _ database: Database) {
        self.titles = titles
        self.database = database
        places =
            titles.count > 8 ? Dictionary(titles.enumerated().map { (PropertyName($1), $0) }, uniquingKeysWith: { first, _ in first }) : nil
        titleLengths = TitleLengths(titles)
        jsonKeys = titles.map { JSONWriter.quoted($0) + ":" }
    }

    func column(_ title: String) -> Int? {
        if let places { return places[PropertyName(title)] }
        for (column, candidate) in titles.enumerated() where candidate.hasSameBytes(as: title) { return column }
        return nil
    }

    /// The row as an object. What is MISSING is left out.
    func json(_ block: RowBlock, _ row: Int) -> String {
        var buffer = ByteBuffer(capacity: 512)
        buffer.append(UInt8(ascii: "{"))
        var isFirst = true
        for column in 0..<titles.count {
            let value = block[row, column]
            if value.isMissing { continue }
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            buffer.append(jsonKeys[column])
            value.append(to: &buffer, keys: block.keys)
        }
        buffer.append(UInt8(ascii: "}"))
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}

/// How long titles are: most names that are no titles are none by their length.
struct TitleLengths {
    /// One for each length, the last one for all that are longer.
    private let bits: UInt64

    static let none = TitleLengths([])

    init(_ titles: [String]) { bits = titles.reduce(0) { $0 | TitleLengths.bit($1) } }

    @inline(__always)
    func contains(lengthOf name: String) -> Bool { bits & TitleLengths.bit(name) != 0 }

    @inline(__always)
    private static func bit(_ name: String) -> UInt64 { 1 &<< UInt64(min(name.utf8.count, 63)) }
}
