import CBLFleece

/// The column `body`: the current revision's body, or in records of 2.x the whole revision tree.
package enum RecordBody {
    static func isTree(_ column: UnsafeRawBufferPointer) -> Bool {
        // A tree begins with the size of its first entry; no encoding of a dictionary begins with so small a byte.
        column.count >= 9 && column[0] < 0x10 && RevisionTree.isLegacyBody(column)
    }

    /// The current body's bytes: empty for an empty document.
    @inline(__always)
    package static func current(_ column: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        isTree(column) ? firstBody(ofTree: column) : column
    }

    /// The body of entry 0, which is the current revision. `isTree` has checked the sizes.
    private static func firstBody(ofTree tree: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let size = Int(tree.bigEndian(at: 0, as: UInt32.self))
        guard tree[6] & 0x80 != 0, size <= tree.count else { return none }
        var position = 8 + Int(tree[7])
        // The sequence, seven bits a byte.
        while position < size, tree[position] & 0x80 != 0 { position += 1 }
        position += 1
        return position < size ? UnsafeRawBufferPointer(rebasing: tree[position..<size]) : none
    }

    private static let emptyDictionary = FleeceData.emptyDictionary
    /// The body of an empty document.
    static var empty: Value { emptyDictionary.root }
}
