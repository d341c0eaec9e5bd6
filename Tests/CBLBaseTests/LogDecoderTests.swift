import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLBase

/// Logs of both forms, as other programs write them.
@Suite struct LogDecoderTests {
    /// Two messages, made by hand from the description of the format.
    private static let file =
        "cfb2ab1b010880e2cfaa0690a10f020044420001" + "2f64756d6d792331" + "2f00016c696e6520232564206f6620257300000702" + "6162"
        + "e80702000101" + "01ac0200"

    private func bytes(_ digits: String) throws -> [UInt8] { try #require(Hex.bytes(of: digits)) }

    private func decode(_ bytes: [UInt8], inPieces size: Int = .max) -> (records: [LogRecord], damage: LogDamage?) {
        var decoder = LogDecoder()
        var records: [LogRecord] = []
        var rest = bytes[...]
        do throws(LogDamage) {
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { decoder.append($0) }
                rest = rest.dropFirst(size)
                while let record = try decoder.next() { records.append(record) }
            }
        } catch { return (records, error) }
        return (records, decoder.isInside ? .cutOff(offset: decoder.offset) : nil)
    }

    private func text(_ record: LogRecord) -> String {
        "\(record.time.universal) \(record.level?.nameOfFiles ?? "?") [\(record.domain)] {\(record.object)} \(record.message)"
    }

    private static let texts = [
        "2023-11-14T22:13:20.250000Z info [DB] {/dummy#1/} line #7 of ab",
        "2023-11-14T22:13:20.251000Z info [DB] {/dummy#1/} line #-300 of ",
    ]

    @Test func theExampleOfTheFormatIsRead() throws {
        let (records, damage) = decode(try bytes(Self.file))
        #expect(records.map(text) == Self.texts && damage == nil)
    }

    /// What a program is still writing comes piece by piece.
    @Test(arguments: 1...9) func piecesAreAsGoodAsTheWhole(size: Int) throws {
        let (records, damage) = decode(try bytes(Self.file), inPieces: size)
        #expect(records.map(text) == Self.texts && damage == nil)
    }

    @Test func whatIsCutOffGivesWhatItHolds() throws {
        let whole = try bytes(Self.file)
        for count in 0..<whole.count {
            let (records, damage) = decode(Array(whole.prefix(count)))
            #expect(records.count == (count < 51 ? 0 : 1), "\(count)")
            #expect((damage == nil) == (count == 0 || count == 11 || count == 51), "\(count): \(damage.map { "\($0)" } ?? "")")
        }
    }

    @Test func everyConversionIsShown() throws {
        var file = LogEncoder(at: LogTime(nanoseconds: 1_000_000_000)).header
        let format = "%u %lu %zx %p %c %% %g %-.*s %.*s %-s %@ %08.3f %-5d"
        file += [0, 2, 0, 0x44, 0, 0, 1] + Array(format.utf8) + [0]
        file += [0xD2, 0x85, 0xD8, 0xCC, 0x04] + [1] + [0xED, 0x9B, 0xB7, 0x5D]
        file += withUnsafeBytes(of: UInt64(0x7FFF_5FBC).littleEndian) { Array($0) } + [0, 0x41]
        file += withUnsafeBytes(of: 0.1.bitPattern.littleEndian) { Array($0) } + [2, 0xAB, 0x0C] + [1, 0x7A]
        file += [2, 0x74, 0, 3, 0x79, 0x65, 0x73]
        file += withUnsafeBytes(of: (-2.5).bitPattern.littleEndian) { Array($0) } + [1, 9]
        let (records, damage) = decode(file)
        #expect(damage == nil)
        #expect(records.first?.message == "1234567890 1 badcded 0x7fff5fbc A % 0.1 ab0c z t yes -2.5 -9", "\(records.first?.message ?? "")")
    }

    @Test func whatIsWrongIsSaid() throws {
        let whole = try bytes(Self.file)
        func damage(_ change: (inout [UInt8]) -> Void) -> LogDamage? {
            var file = whole
            change(&file)
            return decode(file).damage
        }
        #expect(damage { $0[0] = 0 } == .notALog)
        #expect(damage { $0[4] = 2 } == .version(2))
        #expect(damage { $0[5] = 7 } == .pointerSize(7))
        #expect(damage { $0[15] = 9 } != nil)
        #expect(decode(Array("2025-12-09".utf8)).damage == .notALog)
    }

    /// Whatever the bytes are, it ends.
    @Test func anythingIsSurvived() throws {
        let whole = try bytes(Self.file)
        var random = SeededRandom(11)
        try repeatWithin(seconds: 0.5) {
            _ = decode(Mutation.mutated(whole, &random), inPieces: 1 + random.below(60))
            _ = decode(try bytes("cfb2ab1b0108") + (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
    }

    private func read(_ text: String, start: UInt64 = 0) -> [LogRecord] {
        var reader = LogTextReader(start: start)
        Array(text.utf8).withUnsafeBytes { reader.append($0) }
        var records: [LogRecord] = []
        while let record = reader.next() { records.append(record) }
        reader.end()
        while let record = reader.next() { records.append(record) }
        return records + (reader.last().map { [$0] } ?? [])
    }

    @Test func textIsReadAsItIsWritten() {
        let lines = """
            2025-12-09T06:47:55.507699Z WS Verbose Obj=/JRepl@1175308903/ Received 58-byte message
            2025-12-09T06:47:55.507700Z  Info ---- END ----
            2025-12-09T06:47:56.000000Z Sync ERROR two
              lines
            2025-12-09T06:47:57.000000Z DB WARNING last

            """
        #expect(
            read(lines).map(text) == [
                "2025-12-09T06:47:55.507699Z verbose [WS] {/JRepl@1175308903/} Received 58-byte message",
                "2025-12-09T06:47:55.507700Z info [] {} ---- END ----", "2025-12-09T06:47:56.000000Z error [Sync] {} two\n  lines",
                "2025-12-09T06:47:57.000000Z warning [DB] {} last",
            ])
        #expect(LogTextReader.isText(Array(lines.utf8)) && !LogTextReader.isText(Array("{\"a\":1}".utf8)))
    }

    @Test func olderTextHasNoDays() {
        let lines = """
            23:59:59.500000| [Sync] WARNING: {Repl#2} no answer
            00:00:01.000000| [DB]: opened
            00:00:02.000000| ERROR: worse
            """
        let records = read(lines, start: 1_700_000_000_000_000)
        #expect(
            records.map { "\($0.level?.nameOfFiles ?? "") [\($0.domain)] {\($0.object)} \($0.message)" } == [
                "warning [Sync] {Repl#2} no answer", "info [DB] {} opened", "error [] {} worse",
            ])
        #expect(records.map(\.microseconds) == records.map(\.microseconds).sorted())
        #expect(records[1].microseconds - records[0].microseconds == 1_500_000)
    }

    @Test func whatIsWrittenIsRead() throws {
        let directory = try TemporaryDirectory(inMemory: true)
        for isPlainText in [false, true] {
            let folder = directory.path + (isPlainText ? "/text" : "/binary")
            var settings = LogFileSettings(level: .verbose, directory: folder, agent: "Test/1")
            settings.isPlainText = isPlainText
            let files = try LogFiles(settings)
            for number in 0..<50 { try files.write("message \(number) % ü", .info, of: "DB") }
            files.close()
            let name = try #require(LogFile.names(of: .info, in: folder).first)
            let bytes = try Array(Data(contentsOf: URL(filePath: folder + "/" + name)))
            let records = isPlainText ? read(String(decoding: bytes, as: UTF8.self)) : decode(bytes).records
            #expect(records.filter { $0.domain == "DB" }.map(\.message) == (0..<50).map { "message \($0) % ü" })
            #expect(records.last?.message == "---- END ----" && records.first?.message.hasPrefix("---- serialNo=1") == true)
        }
    }
}
