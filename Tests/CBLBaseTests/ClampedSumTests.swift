import CBLBase
import Testing

@Suite struct ClampedSumTests {
    @Test(
        arguments: [
            (1, 2, 3), (.max, 1, .max), (.max, .max, .max), (.min, -1, .min), (.min, .max, -1), (.max, -1, .max - 1), (0, .min, .min),
        ] as [(Int, Int, Int)]) func theNearestNumberIsTheSum(a: Int, b: Int, sum: Int)
    {
        #expect(a.addingClamped(b) == sum)
        #expect(b.addingClamped(a) == sum)
    }

    @Test func otherNumbersHaveTheirOwnLimits() {
        #expect(UInt8(250).addingClamped(10) == 255)
        #expect(Int8(-100).addingClamped(-100) == -128)
    }
}
