import CBLBase
import CBLFleece

// The tree's binary form: entries, a zero size, then the remotes' latest revisions, a separator, and the refused revisions.
//
//     u32 size, u16 parent, u8 flags, u8 n, n bytes of ID, varint sequence, body      (integers big-endian)
//
// 2.x keeps the whole tree in the column `body`; 3.0 and later in `extra`, without the body of the current revision, which is the column
// `body`. A file may come from anywhere, so every size and every index is checked here, once.
extension RevisionTree {
    static let entryHeader = 8

    /// Reads the tree of a record of 3.0 or later. `sequence` is the record's own.
    package init(
        extra: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, sequence: UInt64, bodies: BodyKeeping = .copies
    ) throws(RevisionError) {
        try self.init(decoding: extra, sequence: sequence, bodies)
        if let body { revisions[0].body = bodies.data(body) }
    }

    /// Reads the tree of a 2.x record, which is its column `body`.
    package init(legacyBody: UnsafeRawBufferPointer, sequence: UInt64, bodies: BodyKeeping = .copies) throws(RevisionError) {
        try self.init(decoding: legacyBody, sequence: sequence, bodies)
    }

    /// Whether a column `body` beside an empty `extra` is a tree of 2.x. A Fleece value never is: its first bytes make a huge size.
    package static func isLegacyBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > entryHeader else { return false }
        var position = 0
        while position + 4 <= bytes.count {
            let size = Int(bytes.bigEndian(at: position, as: UInt32.self))
            if size == 0 { return position > 0 }
            guard size > entryHeader, size <= bytes.count - position, size > entryHeader + Int(bytes[position + 7]) else { return false }
            position += size
        }
        return false
    }

    private init(decoding bytes: UnsafeRawBufferPointer, sequence recordSequence: UInt64, _ bodies: BodyKeeping) throws(RevisionError) {
        var position = 0
        while true {
            guard position + 4 <= bytes.count else { throw .corruptTree(offset: position, reason: "it has no end") }
            let size = Int(bytes.bigEndian(at: position, as: UInt32.self))
            if size == 0 { break }
            guard revisions.count < RevisionTree.maximumCount else { throw .corruptTree(offset: position, reason: "too many revisions") }
            guard size <= bytes.count - position else { throw .corruptTree(offset: position, reason: "a revision reaches beyond the end") }
            revisions.append(try RevisionTree.entry(bytes, position..<(position + size), bodies, recordSequence))
            position += size
        }
        guard !isEmpty else { throw .corruptTree(offset: 0, reason: "it has no revisions") }
        self.recordSequence = recordSequence
        try checkParents()
        markLeaves()
        try readRemotes(bytes, from: position + 4)
    }

    private static func entry(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ bodies: BodyKeeping, _ recordSequence: UInt64
    ) throws(RevisionError) -> Revision {
        func corrupt(_ reason: String) -> RevisionError { .corruptTree(offset: range.lowerBound, reason: reason) }
        let start = range.lowerBound + entryHeader
        guard range.count > entryHeader, Int(bytes[start - 1]) < range.upperBound - start else { throw corrupt("a revision is too short") }
        var position = start + Int(bytes[start - 1])
        let parent = Int(bytes.bigEndian(at: range.lowerBound + 4, as: UInt16.self))
        let flags = Flags(rawValue: bytes[range.lowerBound + 6])
        let name = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
        guard name.count <= RevisionID.maximumLength, RevisionID.isTreeID(name), let id = try? RevisionID(binary: name) else {
            throw corrupt("a revision ID is invalid")
        }
        guard let sequence = Varint.read(UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]), at: &position) else {
            throw corrupt("a sequence is invalid")
        }
        guard flags.contains(.hasBody) || position == range.upperBound else { throw corrupt("a body that should not be there") }
        let body = flags.contains(.hasBody) ? bodies.data(UnsafeRawBufferPointer(rebasing: bytes[position..<range.upperBound])) : nil
        return Revision(
            id: id, parent: parent == maximumCount ? nil : parent, sequence: sequence == 0 ? recordSequence : sequence,
            flags: flags.subtracting([.hasBody, .new]), body: body)
    }

    /// Every parent exists, and nobody is its own ancestor.
    private func checkParents() throws(RevisionError) {
        // 0: not looked at, 1: on the way up from here, 2: known to end at a root.
        var state = [UInt8](repeating: 0, count: revisions.count)
        for start in revisions.indices {
            var next: Int? = start
            var path: [Int] = []
            while let index = next, state[index] != 2 {
                guard state[index] == 0 else { throw .corruptTree(offset: 0, reason: "a revision is its own ancestor") }
                state[index] = 1
                path.append(index)
                next = revisions[index].parent
                if let parent = next, parent >= revisions.count { throw .corruptTree(offset: 0, reason: "a parent is missing") }
            }
            for index in path { state[index] = 2 }
        }
    }

    /// Takes the leaf flags from the links: whatever the file says, the rest of the code may rely on them.
    mutating func markLeaves() {
        for index in revisions.indices { revisions[index].flags.insert(.leaf) }
        for parent in revisions.compactMap(\.parent) { revisions[parent].flags.remove(.leaf) }
    }

    private mutating func readRemotes(_ bytes: UnsafeRawBufferPointer, from start: Int) throws(RevisionError) {
        guard (bytes.count - start).isMultiple(of: 4) else { throw .corruptTree(offset: start, reason: "the list of remotes is cut off") }
        var isBehindSeparator = false
        for position in stride(from: start, to: bytes.count, by: 4) {
            let remote = bytes.bigEndian(at: position, as: UInt16.self)
            let index = Int(bytes.bigEndian(at: position + 2, as: UInt16.self))
            if remote == 0, !isBehindSeparator {
                isBehindSeparator = true
                guard index == 0 else { throw .corruptTree(offset: position, reason: "the separator is not zero") }
                continue
            }
            guard index < revisions.count else { throw .corruptTree(offset: position, reason: "a remote's revision is missing") }
            guard (remote == 0) == isBehindSeparator else { throw .corruptTree(offset: position, reason: "a remote behind the separator") }
            if isBehindSeparator { rejected.append(index) } else { remotes.append((remote, index)) }
        }
        // Old releases wrote them in no order.
        if zip(remotes, remotes.dropFirst()).contains(where: { $0.remote >= $1.remote }) {
            remotes = Dictionary(remotes.map { ($0.remote, $0.index) }, uniquingKeysWith: { $1 }).map { ($0.key, $0.value) }
            remotes.sort { $0.0 < $1.0 }
        }
    }

    mutating func setLatest(_ index: Int, onRemote remote: UInt16) {
        if let place = remotes.firstIndex(where: { $0.remote >= remote }) {
            if remotes[place].remote == remote { remotes[place].index = index } else { remotes.insert((remote, index), at: place) }
        } else {
            remotes.append((remote, index))
        }
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func bigEndian<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number {
        Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
