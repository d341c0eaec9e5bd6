import CBLBase
import CBLTestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite struct LogEncoderTests {
    private func time(_ seconds: UInt64, _ microseconds: UInt64) -> LogTime {
        LogTime(nanoseconds: (seconds * 1_000_000 + microseconds) * 1000 + 999)
    }

    @Test func theBytesAreThoseOfTheForm() {
        var encoder = LogEncoder(at: time(1_700_000_000, 250_000))
        #expect(encoder.header == [0xCF, 0xB2, 0xAB, 0x1B, 0x01, 0x08, 0x80, 0xE2, 0xCF, 0xAA, 0x06])
        let first = encoder.message("say %s", "ab", .info, domain: "DB", at: time(1_700_000_000, 250_000))
        #expect(first == [0x90, 0xA1, 0x0F, 2, 0, 0x44, 0x42, 0, 0, 1] + Array("say %s".utf8) + [0, 2, 0x61, 0x62])
        // What was written before is a number now.
        let second = encoder.message("say %s", "", .error, domain: "DB", at: time(1_700_000_000, 251_000))
        #expect(second == [0xE8, 0x07, 4, 0, 0, 1, 0])
        let third = encoder.message("END", nil, .debug, domain: "", at: time(1_700_000_000, 251_000))
        #expect(third == [0, 0, 2, 0, 0, 3] + Array("END".utf8) + [0])
    }

    @Test func aClockThatWasSetBackStandsStillForOneMessage() {
        var encoder = LogEncoder(at: time(1000, 0))
        _ = encoder.message("%s", "", .info, domain: "", at: time(1000, 500))
        #expect(encoder.message("%s", "", .info, domain: "", at: time(900, 0)).first == 0)
        #expect(encoder.message("%s", "", .info, domain: "", at: time(900, 7)).first == 7)
    }

    @Test func aReaderFindsWhatWasLogged() throws {
        let directory = try TemporaryDirectory()
        let dispatch = LogDispatch(console: nil)
        let before = LogTime.now.nanoseconds / 1000
        dispatch.file = FileLogSink(level: .verbose, directory: directory.path)
        let texts = ["plain", "", "ä – 🙂 %s %d", "two\nlines\0", String(repeating: "long ", count: 10_000)]
        for text in texts { dispatch.write(text, .info, of: .peerDiscovery) }
        dispatch.file = nil
        let after = LogTime.now.nanoseconds / 1000

        let name = try #require(LogFile.names(of: .info, in: directory.path).first)
        let reader = try LogReader(Array(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name))))
        try #require(reader.messages.count == texts.count + 3)
        #expect(reader.messages[0].text.hasPrefix("---- serialNo=1,logDirectory=\(directory.path),fileLogLevel=2,"))
        #expect(reader.messages[1].text == "---- \(LibraryIdentity.userAgent) ----")
        #expect(reader.messages.dropFirst(2).dropLast().map(\.text) == texts)
        #expect(reader.messages.last?.text == "---- END ----")
        #expect(reader.messages.map(\.domain) == ["", ""] + texts.map { _ in "Discovery" } + [""])
        #expect(reader.messages.allSatisfy { $0.level == 2 })
        #expect(reader.startSeconds == before / 1_000_000 || reader.startSeconds == after / 1_000_000)
        let times = reader.messages.map(\.microseconds)
        #expect(times == times.sorted())
        #expect(try #require(times.first) >= before && #require(times.last) <= after)
        #expect(reader.tokens == ["", "---- %s ----", "Discovery", "%s", "---- END ----"])
    }
}
