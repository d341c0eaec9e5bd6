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
        var isSound = (0...freshList).contains(list)
        for place in 0..<block.count where isSound {
            let code = block.code(place)
            guard list == freshList else {
                try body(block.id(place), code, list)
                continue
            }
            let own = VectorModel.list(ofFresh: code)
            if own < listCount {
                try body(block.id(place), UnsafeRawBufferPointer(rebasing: code[VectorModel.freshMark...]), own)
            } else {
                isSound = false
            }
        }
        return isSound
    }

    static func list(ofFresh code: UnsafeRawBufferPointer) -> Int { Int(UInt32(littleEndian: code.loadUnaligned(as: UInt32.self))) }
}

extension VectorBlockWriter {
    /// Adds an entry to what goes to the list of fresh ones.
    package mutating func append(fresh id: VectorID, _ code: UnsafeRawBufferPointer, list: Int) {
        withUnsafeBytes(of: UInt32(list).littleEndian) { append(id, $0, code) }
    }
}

/// The entries among the fresh ones that are of the lists which a search looks into.
package struct FreshEntries {
    private var byList: [UInt32: VectorBlockWriter]

    package init(of lists: [Int]) { byList = Dictionary(uniqueKeysWithValues: lists.map { (UInt32($0), VectorBlockWriter()) }) }

    package mutating func add(_ block: VectorBlock) {
        for place in 0..<block.count {
            let code = block.code(place)
            let list = UInt32(VectorModel.list(ofFresh: code))
            byList[list]?.append(block.id(place), UnsafeRawBufferPointer(rebasing: code[VectorModel.freshMark...]))
        }
    }

    package func scan(_ scan: inout ListScan, codeSize: Int, _ queue: inout NearestQueue) {
        for (list, entries) in byList where !entries.isEmpty {
            entries.bytes(list: Int(list)).withUnsafeBytes { bytes in
                if let block = VectorBlock(bytes, codeSize: codeSize) { scan.scan(block, list: Int(list), &queue) }
            }
        }
    }
}
