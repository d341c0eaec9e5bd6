/// Reads pages one after another, and several at once where they follow one another. Belongs to one thread.
final class PageReader {
    private let source: PageSource
    private let memory: UnsafeMutableRawPointer
    private let most: Int
    @exclusivity(unchecked) private var first: UInt32 = 0
    @exclusivity(unchecked) private var count: UInt32 = 0
    /// How many are read at once, which grows as long as they are wanted.
    @exclusivity(unchecked) private var next = 1
    @exclusivity(unchecked) private var last: UInt32 = 0
    /// Pages that will be asked for, one after another.
    @exclusivity(unchecked) private var expected: ClosedRange<UInt32>?

    /// Pages that were read together, wherever they lie: they are asked for in this order.
    @exclusivity(unchecked) private var gathered: ArraySlice<UInt32> = []
    @exclusivity(unchecked) private var nextGathered = 0

    private static let byteCount = 1 << 16
    /// Who goes on within so many pages reads from front to back.
    private static let stride: UInt32 = 8

    init(_ source: PageSource) {
        self.source = source
        most = max(1, PageReader.byteCount / source.pageSize)
        memory = .allocate(byteCount: most * source.pageSize, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Who asks for these pages, in this order, and for no others meanwhile, gets as many as there is room for from the first on, and none behind them.
    func expect(_ pages: ArraySlice<UInt32>) {
        expected = nil
        guard let first = pages.first, let last = pages.last, first <= last, Int(last - first) < 2 * pages.count else { return }
        expected = first...last
    }

    /// How many pages are read together at most.
    var mostGathered: Int { most }

    /// Reads pages that will be asked for next, in this order, though they may lie anywhere; no more than there is room for. False if one of them cannot
    /// be read.
    func gather(_ pages: ArraySlice<UInt32>) -> Bool {
        (count, gathered) = (0, [])
        guard pages.count <= most, source.read(pages, into: memory) else { return false }
        (gathered, nextGathered) = (pages, pages.startIndex)
        return true
    }

    /// A page of those that will be asked for one after another, with some of those behind it: the more, the longer somebody goes on.
    func page(at place: Int, of pages: [UInt32]) -> UnsafeRawPointer? {
        if !gathered.indices.contains(place) || gathered[place] != pages[place] {
            let wanted = place > 0 && place == gathered.endIndex ? min(gathered.count * 4, most) : 1
            // The one that cannot be read is perhaps not this one.
            guard gather(pages[place..<min(pages.count, place + wanted)]) else { return page(pages[place]) }
        }
        return UnsafeRawPointer(memory + (place - gathered.startIndex) * source.pageSize)
    }

    /// A page, valid until the next one is asked for; nil if there is none of this number, or it cannot be read.
    @inline(__always)
    func page(_ number: UInt32) -> UnsafeRawPointer? {
        let place = number &- first
        if place < count, !source.hasFrames || !source.isInLog(number) {
            last = number
            return UnsafeRawPointer(memory + Int(place) &* source.pageSize)
        }
        return fetch(number)
    }

    private func fetch(_ number: UInt32) -> UnsafeRawPointer? {
        if nextGathered < gathered.endIndex, gathered[nextGathered] == number {
            nextGathered += 1
            return UnsafeRawPointer(memory + (nextGathered - 1 - gathered.startIndex) * source.pageSize)
        }
        // What is read now takes their place.
        gathered = []
        if let expected, expected.contains(number) {
            next = min(most, Int(expected.upperBound - number) + 1)
        } else {
            let goesOn = number > last && number - last <= PageReader.stride
            next = goesOn ? min(next * 4, most) : 1
        }
        last = number
        count = 0
        var wanted = number <= source.pageCount ? min(next, Int(source.pageCount - number) + 1) : 1
        if source.hasFrames, source.isInLog(number) { wanted = 1 }
        guard source.read(number, wanted, into: memory) else { return nil }
        first = number
        count = UInt32(wanted)
        // One from the log is not found again under its number.
        if source.hasFrames, source.isInLog(number) { count = 0 }
        return UnsafeRawPointer(memory)
    }
}
