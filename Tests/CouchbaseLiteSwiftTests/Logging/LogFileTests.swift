import CBLBase
import CBLTestSupport
import Glibc
import Testing

@testable import CouchbaseLiteSwift

@Suite struct LogFileTests {
    private let directory: TemporaryDirectory
    private let dispatch = LogDispatch(console: nil)
    private let sink = RecordedMessages()

    init() throws {
        directory = try TemporaryDirectory()
        dispatch.custom = CustomLogSink(level: .warning, logSink: sink)
    }

    private var path: String { directory.path + "/a/b" }

    private func use(_ level: LogLevel, plainText: Bool = true, kept: Int = 2, size: UInt64 = FileLogSink.defaultMaxSize) {
        dispatch.file = FileLogSink(level: level, directory: path, usePlainText: plainText, maxKeptFiles: kept, maxFileSize: size)
    }

    private func texts(_ level: LogLevel) throws -> [String] {
        try LogFile.names(of: #require(level.grade), in: path).map { try String(contentsOfFile: path + "/" + $0, encoding: .utf8) }
    }

    private func lines(_ level: LogLevel) throws -> [Substring] { try texts(level).flatMap { $0.split(separator: "\n") } }

    private func writeAllLevels(_ message: String) {
        for level in LogLevel.ofMessages { dispatch.write(message, level, of: .replicator) }
    }

    @Test func everyLevelHasAFileThatSaysWhatItIs() throws {
        use(.info)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.count == 5)
        for level in ["debug", "verbose", "info", "warning", "error"] {
            #expect(names.filter { $0.firstMatch(of: /^cbl_([a-z]+)_[0-9]{13}\.cbllog$/)?.output.1 == level[...] }.count == 1)
        }
        let lines = try lines(.warning)
        try #require(lines.count == 2)
        let time = "20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z"
        let first = try Regex(
            "^\(time)  WARNING ---- serialNo=1,logDirectory=\(path),fileLogLevel=3,fileMaxSize=524288,fileMaxCount=1 ----$")
        #expect(lines[0].contains(first))
        #expect(lines[1].contains(try Regex("^\(time)  WARNING ---- CouchbaseLite/[0-9.]+ \\(Swift; .+\\) Build/0 Commit/none ----$")))
    }

    @Test func aMessageIsALineOfItsLevelsFile() throws {
        use(.info)
        writeAllLevels("50 %s\nand more")
        #expect(try lines(.debug).count == 2)
        #expect(try lines(.verbose).count == 2)
        for level in [LogLevel.info, .warning, .error] {
            let lines = try lines(level)
            try #require(lines.count == 4)
            #expect(lines[2].hasSuffix("Z Sync \(level.title) 50 %s"))
            #expect(lines[3] == "and more")
        }
    }

    @Test func theFilesAreTheirOwners() throws {
        use(.info)
        var status = stat()
        #expect(stat(path + "/" + LogFile.names(of: .info, in: path)[0], &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func anotherSinkForTheSameFilesGoesOnWithThem() throws {
        for level in [LogLevel.none, .error, .warning, .info] {
            use(level)
            writeAllLevels("message")
        }
        #expect(try texts(.info).count == 1)
        #expect(try lines(.verbose).count == 2)
        #expect(try lines(.info).count == 3)
        #expect(try lines(.warning).count == 4)
        #expect(try lines(.error).count == 5)
    }

    @Test func aSinkThatIsTakenAwayEndsItsFiles() throws {
        use(.info)
        writeAllLevels("first")
        dispatch.file = nil
        writeAllLevels("second")
        use(.info)
        writeAllLevels("third")
        let texts = try texts(.error)
        try #require(texts.count == 2)
        #expect(texts[0].contains(" first\n") && texts[0].hasSuffix("  ERROR ---- END ----\n"))
        #expect(texts[1].contains(" third\n") && !texts[1].contains("END"))
        #expect(!texts.joined().contains("second"))
    }

    @Test func anotherFormHasOtherFiles() throws {
        use(.info, plainText: true)
        use(.info, plainText: false)
        let names = LogFile.names(of: .info, in: path)
        try #require(names.count == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/" + names[1])).starts(with: LogEncoder.magic))
        #expect(try String(contentsOfFile: path + "/" + names[0], encoding: .utf8).hasSuffix("---- END ----\n"))
    }

    @Test(arguments: [true, false]) func aFileThatIsFullHasASuccessorAndTheOldestGoes(isPlainText: Bool) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let others = ["cbl_info_.cbllog", "cbl_info_1x.cbllog", "cbl_info_12.txt", "my_info_12.cbllog", "cbl_information_1.cbllog"]
        for name in others { #expect(FileManager.default.createFile(atPath: path + "/" + name, contents: Data())) }
        use(.info, plainText: isPlainText, kept: 3, size: 1)
        for number in 0..<200 { dispatch.write("message number \(number) of two hundred", .info, of: .database) }
        let names = LogFile.names(of: .info, in: path)
        #expect(names.count == 3)
        #expect(LogFile.names(of: .error, in: path).count == 1)
        let contents = try names.map { try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0)) }
        for data in contents.dropLast() { #expect((1025..<1200).contains(data.count)) }
        #expect(contents[2].count <= 1024)
        let all = String(decoding: Data(contents.joined()), as: UTF8.self)
        #expect(all.contains("message number 199 of"))
        #expect(!all.contains("message number 0 of"))
        #expect(!all.contains("END"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).filter(others.contains).count == others.count)
        // The first one says 1; each successor one more.
        let serials = all.matches(of: /serialNo=([0-9]+),/).compactMap { Int($0.output.1) }
        #expect(serials.count == 3 && serials[0] > 1 && serials[1] == serials[0] + 1 && serials[2] == serials[1] + 1)
    }

    @Test func nothingIsKeptWhereNothingIsToBe() throws {
        use(.info, kept: -5, size: 1)
        for _ in 0..<100 { dispatch.write("a message that takes some place", .info, of: .database) }
        #expect(try texts(.info).count == 1)
    }

    @Test func aDirectoryThatCannotBeMadeIsAWarningToTheOthers() throws {
        #expect(FileManager.default.createFile(atPath: directory.path + "/a", contents: Data()))
        use(.debug)
        #expect(sink.all.count == 1)
        #expect(sink.all.first?.level == .warning)
        #expect(sink.texts.first?.hasPrefix("No log files are written: ") == true)
        #expect(!dispatch.isWanted(.debug, of: .database))
        dispatch.write("message", .error, of: .database)
        #expect(sink.texts.last == "message")
    }

    @Test func filesThatCannotBeWrittenAnyMoreAreGivenUpOnce() throws {
        use(.info, size: 1024)
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<100 { dispatch.write("a message that takes some place", .info, of: .database) }
        #expect(sink.texts.filter { $0.hasPrefix("Log files are not written any more: cannot open \(path)/cbl_info_") }.count == 1)
        #expect(!dispatch.isWanted(.info, of: .database))
        use(.info)
        dispatch.write("again", .info, of: .database)
        #expect(try lines(.info).last?.hasSuffix(" again") == true)
    }
}
