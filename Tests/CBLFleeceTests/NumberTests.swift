import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

/// The text of a number, as a writer would lay it out.
func text(of value: Double) -> String { formatted { NumberFormatting.write(value, to: $0) } }
func text(of value: Float) -> String { formatted { NumberFormatting.write(value, to: $0) } }
func text(of value: Int64) -> String { formatted { NumberFormatting.write(value, to: $0) } }
func text(of value: UInt64) -> String { formatted { NumberFormatting.write(value, to: $0) } }

private func formatted(_ write: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormatting.maximumLength + 1) { buffer in
        guard let start = buffer.baseAddress else { return "" }
        start[NumberFormatting.maximumLength] = 0xEE
        let length = write(start)
        precondition(length <= NumberFormatting.maximumLength && start[NumberFormatting.maximumLength] == 0xEE, "wrote too far")
        return String(decoding: buffer[..<length], as: UTF8.self)
    }
}

@Suite struct NumberTests {
    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func doublesReadAsTheReferenceWritesThem() throws {
        struct Case: Decodable { let bits, text: String }
        let lines = try Fixtures.lines("fleece/doubles.jsonl")
        #expect(lines.count == 463)
        for line in lines {
            let item = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
            let bits = try #require(UInt64(item.bits, radix: 16))
            #expect(text(of: Double(bitPattern: bits)) == item.text)
        }
    }

    @Test(
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1, "-1.0"), (0.1, "0.1"), (100, "100.0"), (1e-4, "0.0001"),
            (9.9999e-5, "9.9999e-05"),
            (1.5e10, "15000000000.0"), (9_007_199_254_740_992, "9007199254740992.0"), (9_007_199_254_740_994, "9.007199254740994e+15"),
            (1e16, "1e+16"), (1e100, "1e+100"), (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
            (1e15, "1000000000000000.0"),
            (999_999_999_999_999, "999999999999999.0"), (0.3, "0.3"), (0.1 + 0.2, "0.30000000000000004"), (123456.789, "123456.789"),
            (.infinity, "inf"), (-.infinity, "-inf"), (1.2345678901234568e29, "1.2345678901234568e+29"), (0.00012345, "0.00012345"),
        ] as [(Double, String)])
    func doubleLayout(value: Double, expected: String) {
        #expect(text(of: value) == expected)
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (16_777_216, "16777216.0"), (16_777_218, "1.6777218e+07"), (1e-5, "1e-05"), (3.4028235e38, "3.4028235e+38"),
            (-2.5, "-2.5"),
            (.leastNonzeroMagnitude, "1e-45"), (100_000, "100000.0"),
        ] as [(Float, String)])
    func floatLayout(value: Float, expected: String) {
        #expect(text(of: value) == expected)
    }

    @Test(arguments: [0, 1, 9, 10, 11, 99, 100, 999, 1000, 9999, 10000, 12345, 99999, 100_000, 1_234_567_890, .max, .max - 1] as [UInt64])
    func integers(value: UInt64) {
        #expect(text(of: value) == value.description)
        let signed = Int64(truncatingIfNeeded: value)
        #expect(text(of: signed) == signed.description)
        #expect(text(of: 0 &- signed) == (0 &- signed).description)
    }

    @Test func everyDoubleReadsBackAndIsAsShortAsTheStandardLibrarySays() throws {
        var random = SeededRandom(1)
        func check(_ value: Double) {
            let written = text(of: value)
            guard Double(written)?.bitPattern == value.bitPattern else {
                Issue.record("\(value) was written as \(written)")
                return
            }
            if significantDigits(written) != significantDigits(value.description) { Issue.record("\(value) was written as \(written)") }
        }
        repeatWithin(seconds: 2) {
            for _ in 0..<1000 {
                let any = Double(bitPattern: random.next())
                if any.isFinite { check(any) }
                let scale = [1.0, 10, 100, 1000, 1e4, 1e5, 1e8, 1e12, 1e18][Int(random.next() % 9)]
                check(Double(Int64(truncatingIfNeeded: random.next() >> (random.next() % 60))) / scale)
                check((Double.random(in: 0...1000, using: &random) * scale).rounded() / scale)
            }
        }
    }

    @Test func theQuickWayToParseAgreesWithTheCarefulOne() throws {
        var random = SeededRandom(2)
        for _ in 0..<50_000 {
            let digits = random.next() >> (random.next() % 64)
            let exponent = Int(random.next() % 60) - 30
            guard let quick = NumberParsing.quick(digits: digits, exponent: exponent) else { continue }
            let careful = Array("\(digits)e\(exponent)".utf8).withUnsafeBytes { NumberParsing.careful($0) }
            #expect(quick == careful, "\(digits)e\(exponent)")
        }
    }

    private func significantDigits(_ text: String) -> String {
        let digits = text.prefix { $0 != "e" }.filter { $0.isNumber }.drop { $0 == "0" }
        return String(digits.reversed().drop { $0 == "0" }.reversed())
    }
}
