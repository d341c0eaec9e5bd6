/// Vectors that come one by one would change a page each, of whatever list they are. So they first go to one more list, behind the others, where
/// each code has the number of its list in front.
extension VectorModel {
    package var freshList: Int { listCount }

    package static let freshMark = 4

    /// How many bytes an entry of a list has as its code.
    package func codeSize(ofList list: Int) -> Int { list == freshList ? codeSize + VectorModel.freshMark : codeSize }

    /// All entries of a block by the lists they belong to; false if one belongs to none.
    @discardableResult
    package func forEachEntry(
        of block: VectorBlock, list: Int, _ body: (VectorID, UnsafeRawBufferPointer, _ list: Int) throws -> Void
    ) rethrows -> Bool {
        guard (0...freshList).contains(list) else { return false }
        for place in 0..<block.count {
            let entry = list == freshList ? VectorModel.parted(block.code(place)) : (list: list, code: block.code(place))
            guard entry.list < listCount else { return false }
            try body(block.id(place), entry.code, entry.list)
        }
        return true
    }

    /// What the code of a fresh entry consists of.
    static func parted(_ code: UnsafeRawBufferPointer) -> (list: Int, code: UnsafeRawBufferPointer) {
        let list = UInt32(littleEndian: code.loadUnaligned(as: UInt32.self))
        return (Int(list), UnsafeRawBufferPointer(rebasing: code[freshMark...]))
    }
}

extension VectorBlockWriter {
    /// Adds an entry to what goes to the list of fresh ones.
    package mutating func append(fresh id: VectorID, _ code: UnsafeRawBufferPointer, list: Int) {
        withUnsafeBytes(of: UInt32(list).littleEndian) { append(id, $0, code) }
    }
}

/// The entries among the fresh ones that are of the lists which a search looks into.
package struct FreshEntries {
    private var byList: [Int: VectorBlockWriter]

    package init(of lists: [Int]) { byList = Dictionary(uniqueKeysWithValues: lists.map { ($0, VectorBlockWriter()) }) }

    package mutating func add(_ block: VectorBlock) {
        for place in 0..<block.count {
            let (list, code) = VectorModel.parted(block.code(place))
            byList[list]?.append(block.id(place), code)
        }
    }

    package func scan(_ scan: inout ListScan, codeSize: Int, _ queue: inout NearestQueue) {
        for (list, entries) in byList where !entries.isEmpty {
            entries.bytes(list: list).withUnsafeBytes { bytes in
                if let block = VectorBlock(bytes, codeSize: codeSize) { scan.scan(block, list: list, &queue) }
            }
        }
    }
}
