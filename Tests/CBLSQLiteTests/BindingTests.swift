import CBLSQLite
import CBLTestSupport
import Testing

/// What is bound to parameters, and what columns give.
@Suite struct BindingTests {
    private let connection: Connection

    init() throws { connection = try Connection(path: ":memory:", mode: .create) }

    /// What SQLite makes of a bound value: its type, and its bytes in hexadecimal.
    private func stored(_ bind: (Statement) throws -> Void) throws -> [String] {
        try connection.withStatement("SELECT typeof(?1), hex(?1)") { row in
            try bind(row)
            try #require(try row.step())
            return [row.string(0) ?? "", row.string(1) ?? ""]
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 1 << 53 + 1, .max]) func integersAreKeptWhole(_ value: Int64) throws {
        try connection.withStatement("SELECT ?") { row in
            try row.bind(value, 1)
            try #expect(row.step())
            #expect(row.kind(0) == .integer && row.int64(0) == value)
            #expect(row.string(0) == "\(value)" && row.byteCount(0) == "\(value)".utf8.count)
        }
    }

    @Test(arguments: [0, 1.5, -1e300, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    func numbersAreKeptWhole(_ value: Double) throws {
        try connection.withStatement("SELECT ?") { row in
            try row.bind(value, 1)
            try #expect(row.step())
            #expect(row.kind(0) == .real && row.double(0) == value)
        }
    }

    /// SQLite has no place for it.
    @Test func noNumberIsNull() throws { #expect(try stored { try $0.bind(Double.nan, 1) } == ["null", ""]) }

    static let texts = ["", "a", "\0", "a\0b\0", "é😀", "\u{FEFF}", String(repeating: "x", count: 100_000)]

    @Test(arguments: texts) func textsAreKeptWhole(_ text: String) throws {
        let hex = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        #expect(try stored { try $0.bind(text, 1) } == ["text", hex])
        var bytes = Array(text.utf8)
        for staysInPlace in [false, true] {
            try bytes.withUnsafeMutableBytes { bytes in
                let isSame =
                    try stored { try $0.bind(text: UnsafeRawBufferPointer(bytes), 1, staysInPlace: staysInPlace) } == ["text", hex]
                #expect(isSame)
            }
        }
        try connection.withStatement("SELECT ?") { row in
            try row.bind(text, 1)
            try #expect(row.step())
            #expect(row.kind(0) == .text && row.string(0) == text && row.byteCount(0) == text.utf8.count)
            #expect(row.text(0).map(Array.init) == Array(text.utf8) && row.blob(0).map(Array.init) == Array(text.utf8))
        }
    }

    @Test(arguments: [[], [0], [0xFF, 0xC0, 0x80], [UInt8](repeating: 7, count: 100_000)]) func blobsAreKeptWhole(_ bytes: [UInt8]) throws {
        for staysInPlace in [false, true] {
            try bytes.withUnsafeBytes { buffer in
                try connection.withStatement("SELECT ?1, length(?1)") { row in
                    try row.bind(blob: buffer, 1, staysInPlace: staysInPlace)
                    try #expect(row.step())
                    #expect(row.kind(0) == .blob && row.blob(0).map(Array.init) == bytes && row.byteCount(0) == bytes.count)
                    #expect(row.int64(1) == bytes.count)
                }
            }
        }
    }

    /// What is copied may change or go afterwards.
    @Test func whatIsBoundIsCopied() throws {
        try connection.withStatement("SELECT ?, ?") { row in
            var bytes = Array("before".utf8)
            try bytes.withUnsafeMutableBytes { bytes in
                try row.bind(text: UnsafeRawBufferPointer(bytes), 1)
                try row.bind(blob: UnsafeRawBufferPointer(bytes), 2)
                bytes.copyBytes(from: "after!".utf8)
            }
            try #expect(row.step())
            #expect(row.string(0) == "before" && row.string(1) == "before")
        }
    }

    @Test func nothingIsNull() throws {
        #expect(try stored { try $0.bindNull(1) } == ["null", ""])
        #expect(try stored { try $0.bind(nil as String?, 1) } == ["null", ""])
        #expect(try stored { try $0.bind(nil as Int64?, 1) } == ["null", ""])
        #expect(try stored { try $0.bind(blob: nil as [UInt8]?, 1) } == ["null", ""])
        #expect(try stored { try $0.bind(blob: nil as UnsafeRawBufferPointer?, 1) } == ["null", ""])
        #expect(try stored { _ in } == ["null", ""])
        let row = try connection.prepare("SELECT NULL")
        try #expect(row.step())
        #expect(row.kind(0) == .null && row.isNull(0) && row.string(0) == nil && row.text(0) == nil && row.blob(0) == nil)
        #expect(row.int64(0) == 0 && row.double(0) == 0 && row.byteCount(0) == 0)
    }

    @Test(arguments: ["ff", "c328", "eda080", "f4908080", "61ff62", "c0af"]) func textThatIsNoUTF8IsMended(_ hex: String) throws {
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        try connection.withStatement("SELECT CAST(x'\(hex)' AS TEXT), ?1") { row in
            try bytes.withUnsafeBytes { try row.bind(text: $0, 1) }
            try #expect(row.step())
            for column in [Int32(0), 1] {
                // As it lies there for whoever checks it, and with something in the place of what is wrong for all others.
                #expect(row.text(column).map(Array.init) == bytes)
                #expect(row.string(column) == String(decoding: bytes, as: UTF8.self) && row.string(column)?.contains("\u{FFFD}") == true)
            }
        }
    }

    /// A file may be kept in UTF-16.
    @Test func textOfAnotherEncodingIsRead() throws {
        let directory = try TemporaryDirectory()
        let other = try Connection(path: directory.path + "/utf16", mode: .create)
        try other.execute("PRAGMA encoding='UTF-16be'")
        try other.execute("CREATE TABLE t (x)")
        try other.withStatement("INSERT INTO t VALUES (?)") { insert in
            try insert.bind("é😀\0x", 1)
            try insert.run()
        }
        #expect(try other.strings("SELECT x FROM t") == ["é😀\0x"])
        #expect(try other.strings("PRAGMA encoding") == ["UTF-16be"])
    }

    @Test(arguments: [Int32.min, -1, 0, 3, 1000, .max]) func parametersThatAreNotThereAreErrors(_ index: Int32) throws {
        let statement = try connection.prepare("SELECT ?, ?")
        let bindings: [() throws -> Void] = [
            { try statement.bind("x", index) }, { try statement.bind(Int64(1), index) }, { try statement.bind(1.5, index) },
            { try statement.bind(blob: [1], index) }, { try statement.bind(blob: [], index) }, { try statement.bindNull(index) },
        ]
        for bind in bindings {
            let error = #expect(throws: SQLiteError.self) { try bind() }
            #expect(error?.code == 25 && error?.sql == "SELECT ?, ?", "\(String(describing: error))")
        }
        try #expect(statement.step())
    }

    @Test(arguments: [Int32.min, -1, 2, 1000, .max]) func columnsThatAreNotThereAreNull(_ column: Int32) throws {
        let statement = try connection.prepare("SELECT 1, 'x'")
        try #expect(statement.step())
        #expect(statement.columnCount == 2)
        #expect(statement.isNull(column) && statement.kind(column) == .null && statement.columnName(column) == "")
        #expect(statement.string(column) == nil && statement.blob(column) == nil && statement.byteCount(column) == 0)
        #expect(statement.int64(column) == 0 && statement.double(column) == 0)
        #expect(statement.int64(0) == 1 && statement.string(1) == "x")
    }

    @Test func withoutARowColumnsAreNull() throws {
        let statement = try connection.prepare("SELECT 'x' AS name")
        #expect(statement.string(0) == nil && statement.columnName(0) == "name")
        try #expect(statement.step())
        #expect(statement.string(0) == "x")
        try #expect(!statement.step())
        #expect(statement.string(0) == nil && statement.isNull(0))
    }

    @Test func parametersHaveNames() throws {
        let statement = try connection.prepare("SELECT $a, :b, @c, $a")
        #expect(["$a", ":b", "@c"].map(statement.parameter) == [1, 2, 3])
        #expect(["a", "$b", "", "$A", "$a\0"].map(statement.parameter) == [nil, nil, nil, nil, 1])
        try statement.bind("twice", 1)
        try #expect(statement.step())
        #expect(statement.string(0) == "twice" && statement.string(3) == "twice")
    }
}
