import CBLFleece

/// Rows that were kept: a value of its own, to be compared with the rows of a later run.
package struct RecordedRows: Sendable {
    package let titles: [String]
    /// Each row as an encoded array, one behind the other. What is MISSING is undefined there.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    package init(titles: [String]) { self.titles = titles }

    /// Takes what is left of a query's rows.
    package init(_ rows: QueryRows) throws {
        self.init(titles: rows.titles)
        let encoder = FleeceEncoder()
        while try rows.next() {
            rows.write(to: encoder)
            try encoder.withFinished { bytes.append(contentsOf: $0) }
            ends.append(bytes.count)
        }
    }

    /// A single row, which is an array.
    init(titles: [String], row: FleeceData) {
        self.init(titles: titles)
        row.withBytes { bytes.append(contentsOf: $0) }
        ends = [bytes.count]
    }

    package var count: Int { ends.count }
    package var isEmpty: Bool { ends.isEmpty }

    /// The encoding of a row: equal for rows that say the same.
    subscript(row: Int) -> ArraySlice<UInt8> { bytes[(row == 0 ? 0 : ends[row - 1])..<ends[row]] }

    /// Lends the columns of a row.
    package func withRow<Result>(_ row: Int, _ body: (ArrayView) throws -> Result) rethrows -> Result {
        try self[row].withUnsafeBytes { try body((Value(root: $0) ?? .undefined).array ?? RecordedRows.none) }
    }

    private static var none: ArrayView { FleeceData.emptyArray.root.array.unsafelyUnwrapped }

    /// A column of a row. Only for as long as `body` runs.
    package func withColumn<Result>(_ column: Int, ofRow row: Int, _ body: (QueryValue) throws -> Result) rethrows -> Result {
        try withRow(row) { columns in
            let value = column < columns.count ? columns[column] : .undefined
            return try body(value.isUndefined ? .missing : QueryValue(value))
        }
    }

    /// Appends a row as a JSON object. What is MISSING is left out.
    package func appendObject(_ row: Int, style: JSONStyle = .compact, to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "{"))
        withRow(row) { columns in
            var isFirst = true
            for (title, value) in zip(titles, columns) where !value.isUndefined {
                if !isFirst { buffer.append(UInt8(ascii: ",")) }
                isFirst = false
                JSONWriter.write(string: title, to: &buffer)
                buffer.append(UInt8(ascii: ":"))
                JSONWriter.write(value, keys: nil, style: style, to: &buffer)
            }
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// Appends a row as a JSON array.
    package func appendArray(
        _ row: Int, style: JSONStyle = .compact, missing: StaticString = "null", to buffer: inout ByteBuffer
    ) {
        buffer.append(UInt8(ascii: "["))
        withRow(row) { columns in
            for (place, value) in columns.enumerated() {
                if place > 0 { buffer.append(UInt8(ascii: ",")) }
                if value.isUndefined {
                    buffer.append(missing)
                } else {
                    JSONWriter.write(value, keys: nil, style: style, to: &buffer)
                }
            }
        }
        buffer.append(UInt8(ascii: "]"))
    }
}

extension RecordedRows: Equatable {
    package static func == (one: RecordedRows, other: RecordedRows) -> Bool {
        one.ends == other.ends && one.bytes == other.bytes && one.titles == other.titles
    }
}
