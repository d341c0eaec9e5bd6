import Glibc
import Synchronization

/// Encrypted pages that were read or written a moment ago, with what they are in clear: whenever something was committed, every connection reads the same
/// few pages anew, each of which is decrypted alone. To compare a page with what it was takes a fiftieth of that.
final class RecentPages: Sendable {
    private struct Slot {
        var number: UInt32 = 0
        /// The random bytes with which the page was encrypted: pages that are read once are not kept.
        var mark: UInt64 = 0
        var isKept = false
    }

    // Sendable: only used under the lock.
    private struct Memory: @unchecked Sendable {
        var slots = [Slot](repeating: Slot(), count: RecentPages.slotCount)
        var start: UnsafeMutableRawPointer?
    }

    private static let slotCount = 64
    /// Of a commit with more, the pages are not worth being copied.
    private static let mostWritten = 8

    private let pageSize: Int
    private let memory = Mutex(Memory())

    init(pageSize: Int) { self.pageSize = pageSize }

    deinit { memory.withLock { $0.start?.deallocate() } }

    /// Makes clear text of an encrypted page in its place, if that is known.
    func decrypt(_ page: UnsafeMutableRawPointer, number: UInt32) -> Bool {
        memory.withLock { memory in
            let place = RecentPages.place(number)
            guard memory.slots[place].number == number, memory.slots[place].isKept, let kept = kept(place, memory),
                memcmp(kept, page, pageSize) == 0
            else { return false }
            memcpy(page, kept + pageSize, pageSize)
            return true
        }
    }

    /// Keeps an encrypted page, if it is decrypted for the second time. `work` makes clear text of it in its place.
    func keeping(_ page: UnsafeMutableRawPointer, number: UInt32, _ work: () -> Void) {
        let mark = page.loadUnaligned(fromByteOffset: pageSize - 8, as: UInt64.self)
        let isKnown = memory.withLock { memory in
            let place = RecentPages.place(number)
            if memory.slots[place].number == number, memory.slots[place].mark == mark { return true }
            memory.slots[place] = Slot(number: number, mark: mark)
            return false
        }
        guard isKnown else { return work() }
        withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 16) { encrypted in
            guard let start = encrypted.baseAddress else { return work() }
            memcpy(start, page, pageSize)
            work()
            memory.withLock { memory in
                let kept = keep(number, mark, &memory)
                memcpy(kept, start, pageSize)
                memcpy(kept + pageSize, page, pageSize)
            }
        }
    }

    /// Keeps pages that are encrypted by `work`, each in its place. Their random bytes are there already.
    func keeping(_ start: UnsafeMutableRawPointer, stride: Int, numbers: UnsafeBufferPointer<UInt32>, _ work: () -> Void) {
        guard numbers.count <= RecentPages.mostWritten else { return work() }
        memory.withLock { memory in
            for (index, number) in numbers.enumerated() {
                let page = start + index * stride
                let kept = keep(number, page.loadUnaligned(fromByteOffset: pageSize - 8, as: UInt64.self), &memory)
                memcpy(kept + pageSize, page, pageSize)
            }
            work()
            for (index, number) in numbers.enumerated() {
                let place = RecentPages.place(number)
                // Two of them may have one place.
                guard memory.slots[place].number == number, let kept = kept(place, memory) else { continue }
                memcpy(kept, start + index * stride, pageSize)
            }
        }
    }

    private static func place(_ number: UInt32) -> Int { Int(number) % slotCount }

    private func kept(_ place: Int, _ memory: Memory) -> UnsafeMutableRawPointer? { memory.start.map { $0 + place * 2 * pageSize } }

    /// Where the encrypted page is to be, and behind it the same in clear.
    private func keep(_ number: UInt32, _ mark: UInt64, _ memory: inout Memory) -> UnsafeMutableRawPointer {
        let start = memory.start ?? .allocate(byteCount: RecentPages.slotCount * 2 * pageSize, alignment: 64)
        memory.start = start
        let place = RecentPages.place(number)
        memory.slots[place] = Slot(number: number, mark: mark, isKept: true)
        return start + place * 2 * pageSize
    }
}
