import Glibc

/// Parts of a file that are read from front to back, or from back to front, fetched before they are asked for: one large read takes a fraction of what
/// many small ones take. There are two, for who goes through an index and its table together.
///
/// Who reads backwards, as `PRAGMA integrity_check` does, gets more at a time: the kernel fetches nothing in advance then, and a file that is not in memory
/// would be read from the disk page by page.
///
/// They are good for as long as nobody can change what they hold, and have to be dropped then.
struct ReadAhead {
    /// So much is fetched the first time, and twice as much each time after, up to `most`.
    static let least = 1 << 14
    static let most = 1 << 16
    /// The same for who goes backwards.
    static let mostBackwards = 1 << 18
    /// Who goes on within so many bytes reads from front to back: between the pages of a table are some of its indexes.
    private static let stride: Int64 = 1 << 15

    private var first = Window()
    private var second = Window()
    /// Whether the second was made use of last.
    private var isSecond = false
    private var fileSize: Int64?

    private struct Window {
        var memory: UnsafeMutableRawPointer?
        private var capacity = 0
        var start: Int64 = 0
        var count = 0
        var size = ReadAhead.least
        /// Of an encrypted file: from here on the bytes are in clear.
        private var clearStart: Int64 = 0
        /// Whether what was fetched goes on exactly where the last read ended.
        private var goesOn = false
        /// Where the last read ended; far away if nothing is known from it. The first page is read by whoever begins to read.
        var end = Window.farAway
        /// How often in a row something was read in front of what was read last.
        private var stepsBack = 0
        /// How much was taken of what was fetched.
        private var taken = 0
        /// Whether that was so little that pages are better read alone, until some that follow one another are read.
        private var isSparse = false
        private var stepsOn = 0
        static let farAway: Int64 = -1 << 32

        @inline(__always)
        mutating func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool {
            guard offset >= start, offset + Int64(amount) <= start + Int64(count), let memory else { return false }
            memcpy(target, memory + Int(offset - start), amount)
            end = offset + Int64(amount)
            taken &+= amount
            return true
        }

        /// The same of an encrypted file. Who reads one page after the other will want the rest, and up to sixteen pages are decrypted in the time of one or
        /// two. Of more, between which others are left out, each is decrypted alone.
        mutating func take(
            _ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64, _ decrypt: (UnsafeMutableRawPointer, Int, Int64) -> Bool
        ) -> Bool {
            guard offset >= start, offset + Int64(amount) <= start + Int64(count), let memory else { return false }
            if offset < clearStart, offset == end || goesOn && offset == start || clearStart - offset <= 16 * Int64(amount) {
                guard decrypt(memory + Int(offset - start), Int(clearStart - offset), offset) else { return false }
                clearStart = offset
            }
            memcpy(target, memory + Int(offset - start), amount)
            end = offset + Int64(amount)
            return offset >= clearStart || decrypt(target, amount, offset)
        }

        func isContinued(at offset: Int64) -> Bool { offset >= end && offset - end < ReadAhead.stride }

        /// Whether this is read in front of what was read last.
        func isContinuedBackwards(_ amount: Int, at offset: Int64) -> Bool {
            let distance = end - Int64(2 * amount) - offset
            return distance >= 0 && distance < ReadAhead.stride
        }

        mutating func begin(_ amount: Int, at offset: Int64) {
            end = offset == 0 ? Window.farAway : offset + Int64(amount)
            size = ReadAhead.least
            stepsBack = 0
            isSparse = false
        }

        /// Another transaction: who reads a few pages each time reads them in some order, and is not on the way anywhere.
        mutating func forget() {
            (count, end, size, stepsBack, isSparse) = (0, Window.farAway, ReadAhead.least, 0, false)
        }

        mutating func fetch(
            _ amount: Int, at offset: Int64, fileSize: Int64, isEncrypted: Bool, read: (UnsafeMutableRawPointer, Int, Int64) -> Bool
        ) -> Bool {
            goesOn = offset == end
            end = offset + Int64(amount)
            stepsBack = 0
            if isSparse {
                stepsOn = goesOn ? stepsOn + 1 : 0
                guard stepsOn > 1 else { return false }
                isSparse = false
                size = ReadAhead.least
            } else if !isEncrypted, count > 0, 3 * taken < count {
                // Encrypted pages are decrypted together in the time of one, so that others between them cost little.
                (isSparse, stepsOn, count) = (true, 0, 0)
                return false
            }
            let wanted = Int(min(Int64(size), fileSize - offset))
            guard wanted > amount, fill(wanted, at: offset, read) else { return false }
            size = min(size * 2, ReadAhead.most)
            return true
        }

        /// Fetches what ends with what is asked for, if it is not the first step in that direction.
        mutating func fetchBackwards(_ amount: Int, at offset: Int64, read: (UnsafeMutableRawPointer, Int, Int64) -> Bool) -> Bool {
            goesOn = false
            end = offset + Int64(amount)
            stepsBack += 1
            guard stepsBack > 1 else { return false }
            // Whole pages, as those of an encrypted file are decrypted.
            let wanted = Int(min(Int64(max(size, amount) / amount * amount), end))
            guard wanted > amount, fill(wanted, at: end - Int64(wanted), read) else { return false }
            size = min(size * 2, ReadAhead.mostBackwards)
            return true
        }

        private mutating func fill(_ wanted: Int, at offset: Int64, _ read: (UnsafeMutableRawPointer, Int, Int64) -> Bool) -> Bool {
            count = 0
            if capacity < wanted {
                memory?.deallocate()
                capacity = wanted > ReadAhead.most ? ReadAhead.mostBackwards : ReadAhead.most
                memory = .allocate(byteCount: capacity, alignment: 16)
            }
            guard let memory, read(memory, wanted, offset) else { return false }
            (start, count, clearStart, taken) = (offset, wanted, offset + Int64(wanted), 0)
            return true
        }

        mutating func free() {
            memory?.deallocate()
            (memory, capacity, count) = (nil, 0, 0)
        }
    }

    /// Copies what is asked for, if it is here.
    mutating func take(_ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64) -> Bool {
        if first.take(target, amount, at: offset) {
            isSecond = false
            return true
        }
        guard second.take(target, amount, at: offset) else { return false }
        isSecond = true
        return true
    }

    /// The same of an encrypted file, of which `decrypt` makes whole pages readable in their place.
    mutating func take(
        _ target: UnsafeMutableRawPointer, _ amount: Int, at offset: Int64, _ decrypt: (UnsafeMutableRawPointer, Int, Int64) -> Bool
    ) -> Bool {
        if first.take(target, amount, at: offset, decrypt) {
            isSecond = false
            return true
        }
        guard second.take(target, amount, at: offset, decrypt) else { return false }
        isSecond = true
        return true
    }

    /// Fetches what will be wanted from `offset` on, or before it, if somebody reads in one direction there. Gives whether what was asked for is here now.
    mutating func fetch(
        _ amount: Int, at offset: Int64, isEncrypted: Bool = false, measure: () -> Int64?,
        read: (UnsafeMutableRawPointer, Int, Int64) -> Bool
    ) -> Bool {
        let isFirst = first.isContinued(at: offset)
        guard isFirst || second.isContinued(at: offset) else {
            if first.isContinuedBackwards(amount, at: offset) {
                isSecond = false
                return first.fetchBackwards(amount, at: offset, read: read)
            }
            if second.isContinuedBackwards(amount, at: offset) {
                isSecond = true
                return second.fetchBackwards(amount, at: offset, read: read)
            }
            // In the place of the one that nobody has used for longer.
            isSecond.toggle()
            if isSecond { second.begin(amount, at: offset) } else { first.begin(amount, at: offset) }
            return false
        }
        isSecond = !isFirst
        if fileSize == nil { fileSize = measure() }
        let size = fileSize ?? 0
        return isFirst
            ? first.fetch(amount, at: offset, fileSize: size, isEncrypted: isEncrypted, read: read)
            : second.fetch(amount, at: offset, fileSize: size, isEncrypted: isEncrypted, read: read)
    }

    mutating func drop() {
        first.forget()
        second.forget()
        fileSize = nil
    }

    mutating func free() {
        first.free()
        second.free()
        drop()
    }
}
