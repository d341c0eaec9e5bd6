import CBLFuzzing
import Testing

/// What fuzzing guided by coverage left behind, in every build and without a fuzzer.
@Suite struct CorpusTests {
    @Test(arguments: FuzzedReader.all.map(\.name)) func whatIsKeptIsSurvived(name: String) throws {
        let reader = try #require(FuzzedReader.all.first { $0.name == name })
        for input in try Corpus.inputs(of: reader) { reader.accepts(input) }
    }

    /// A fuzzer that begins with what is refused learns little.
    @Test(arguments: FuzzedReader.all.map(\.name)) func seedsAreAccepted(name: String) throws {
        let reader = try #require(FuzzedReader.all.first { $0.name == name })
        for seed in reader.seeds {
            let isAccepted = reader.accepts(seed)
            #expect(isAccepted, "\(String(decoding: seed, as: UTF8.self).debugDescription)")
        }
    }

    @Test func namesAreDifferent() {
        #expect(Set(FuzzedReader.all.map(\.name)).count == FuzzedReader.all.count)
    }

    @Test func anyInputIsALine() throws {
        let inputs: [[UInt8]] = [[], Array(0...255), Array("#a#".utf8), Array(" \\x41 ".utf8), [0x0A], Array("é".utf8)]
        let text = Corpus.text(inputs)
        #expect(Set(try Corpus.parsed(text)) == Set(inputs))
        #expect(text.utf8.allSatisfy { $0 == 0x0A || (0x20...0x7E).contains($0) })
        #expect(try Corpus.parsed("# why\na\n") == [Array("a".utf8)])
        for wrong in ["\\", "\\q", "\\x4", "\\xzz"] { #expect(throws: Corpus.Malformed.self) { try Corpus.parsed(wrong + "\n") } }
    }
}
