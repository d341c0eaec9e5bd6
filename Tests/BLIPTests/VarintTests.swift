import Testing

@testable import BLIP

struct VarintTests {
    static let edges: [(UInt64, String)] = [
        (0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (16_383, "ff7f"), (16_384, "808001"), (50_021, "e58603"),
        (1 << 63, "80808080808080808001"), (.max, "ffffffffffffffffff01"),
    ]

    func read(_ bytes: [UInt8]) -> Varint.Reading { bytes.withUnsafeBytes { Varint.read($0) } }

    @Test(arguments: edges) func numbersAreWrittenAndRead(_ value: UInt64, _ text: String) {
        #expect(hex(varint(value)) == text)
        #expect(Varint.length(of: value) == text.utf8.count / 2)
        #expect(read(hex(text) + [0xFF]) == .value(value, length: text.utf8.count / 2))
    }

    @Test(arguments: edges) func whatIsCutOffIsIncomplete(_ value: UInt64, _ text: String) {
        for count in 0..<text.utf8.count / 2 { #expect(read(Array(hex(text)[..<count])) == .incomplete) }
    }

    @Test func moreThan64BitsAreRefused() {
        #expect(read(hex("ffffffffffffffffff02")) == .tooLarge)
        #expect(read(hex("ffffffffffffffffff8100")) == .tooLarge)
        #expect(read(hex("8080808080808080808000")) == .tooLarge)
    }

    @Test func needlessGroupsAreRead() { #expect(read(hex("8100")) == .value(1, length: 2)) }
}

struct QueueTests {
    @Test func whatComesFirstLeavesFirst() {
        var queue = Queue<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            // Waves, so that it is filled, half emptied and emptied.
            if step % 700 < 400 || step % 3 == 0 {
                queue.append(step)
                model.append(step)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
        }
        while let next = queue.popFirst() { #expect(next == model.removeFirst()) }
        #expect(model.isEmpty)
    }
}
