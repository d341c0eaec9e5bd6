import CBLTestSupport
import Testing

@testable import CBLFleece

/// Values that refer to their parts again and again, so that walking them would take for ever, or fill any memory: every walk ends, and says
/// what is wrong.
struct HostileValuesTests {
    private static func data(_ bomb: DataBomb) -> FleeceData { FleeceData(bomb.bytes) }

    @Test(arguments: DataBomb.all) func theValidatorFindsThem(_ bomb: DataBomb) {
        #expect(throws: FleeceError.self) { try Validator.validate(Self.data(bomb)) }
    }

    @Test(arguments: DataBomb.all) func theyAreNotWrittenAsText(_ bomb: DataBomb) {
        Self.data(bomb).withRoot { root in
            for style: JSONStyle in [.compact, .canonical, [.canonical, .pretty]] {
                var buffer = ByteBuffer()
                #expect(!JSONWriter.write(root, keys: nil, style: style, to: &buffer))
                let word = buffer.string
                #expect(word == "undefined")
                buffer.removeAll()
                #expect(!JSONWriter.writeMembers(of: root, keys: nil, style: style, startingWithComma: true, to: &buffer))
                let text = buffer.string
                #expect(text.isEmpty)
            }
        }
    }

    @Test(arguments: DataBomb.all) func theyAreNotCopied(_ bomb: DataBomb) throws {
        let encoder = FleeceEncoder()
        let path = try KeyPath("new")
        Self.data(bomb).withRoot { root in
            encoder.write(root, keys: nil)
            #expect(throws: FleeceError.self) { try encoder.finish() }
            #expect(throws: FleeceError.self) {
                try path.replace(in: root, keys: nil, into: encoder) { $0.write(true) }
                _ = try encoder.finish()
            }
            encoder.reset()
            #expect(throws: DeltaError.self) { try Delta.apply(#"{"new":true}"#, to: root, into: encoder) }
            encoder.reset()
        }
    }

    @Test(arguments: DataBomb.all) func theyAreNotEqualToACopyOfTheirBytes(_ bomb: DataBomb) {
        let (one, other) = (Self.data(bomb), Self.data(bomb))
        one.withRoot { one in
            other.withRoot { other in
                #expect(!one.isEqual(to: other))
                #expect(throws: DeltaError.self) { try Delta.create(from: one, to: other) }
                #expect(throws: DeltaError.self) { try Delta.create(from: .undefined, to: other) }
            }
        }
    }

    @Test(arguments: DataBomb.all) func collectorsMeetEachDictionaryOnce(_ bomb: DataBomb) {
        Self.data(bomb).withRoot { root in
            var places: Set<Int> = []
            var count = 0
            root.forEachDictionary { dictionary in
                count += 1
                places.insert(Int(dictionary.slots.first))
                return true
            }
            #expect(count == places.count)
            #expect(count >= 1 && count <= bomb.bytes.count / 2)
        }
    }

    /// What is shared a little, as no writer does but as some might, is a value like others.
    @Test func aCollectionMayBeReferredToTwice() throws {
        var builder = FleeceBuilder()
        let item = builder.array([builder.string("one"), builder.string("two")])
        let place = builder.dictionary([(builder.string("a"), item), (builder.string("b"), item)])
        let data = FleeceData(builder.finish(place))
        try Validator.validate(data)
        data.withRoot { root in
            #expect(root.json() == #"{"a":["one","two"],"b":["one","two"]}"#)
            let encoder = FleeceEncoder()
            encoder.write(root, keys: nil)
            #expect((try? encoder.finish())?.withRoot { $0.json() } == root.json())
            FleeceData(builder.finish(place)).withRoot { #expect(root.isEqual(to: $0)) }
        }
    }

    /// Each is small enough or endless, and all walks agree which.
    @Test(arguments: 0..<60) func floorsOfEveryKindComeToAnEnd(seed: Int) {
        let data = Self.data(.seeded(UInt64(seed)))
        let isSound = (try? Validator.validate(data)) != nil
        data.withRoot { root in
            var buffer = ByteBuffer()
            let isWritten = JSONWriter.write(root, keys: nil, to: &buffer)
            let encoder = FleeceEncoder()
            encoder.write(root, keys: nil)
            let copy = try? encoder.finish()
            if isSound {
                #expect(isWritten)
                #expect(copy != nil)
            } else {
                _ = root.isEqual(to: data.root)
            }
            root.forEachDictionary { _ in true }
        }
    }

    /// A delta repeats a text of the old body as often as it likes; the old body has it once.
    @Test func aDeltaCannotMultiplyATextWithoutEnd() throws {
        var builder = FleeceBuilder()
        let text = builder.string(count: 100_000)
        let root = builder.dictionary([(builder.string("a"), builder.array(repeating: text, count: 2000))])
        let patches = (0..<2000).map { #""\#($0)":["100000=",0,2]"# }.joined(separator: ",")
        FleeceData(builder.finish(root)).withRoot { old in
            _ = #expect(throws: DeltaError.self) { try Delta.apply(#"{"a":{\#(patches)}}"#, to: old, into: FleeceEncoder()) }
        }
    }
}
