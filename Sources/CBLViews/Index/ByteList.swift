import CBLFleece

/// Byte strings one behind the other in one memory: what an update collects to go through a table in its order.
struct ByteList: ~Copyable {
    private struct Item: BitwiseCopyable {
        var start: Int
        var count: Int
        var mark: Int32
    }

    private var memory = ByteBuffer()
    private var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }

    /// How much memory they take.
    var byteCount: Int { memory.count &+ items.count &* MemoryLayout<Item>.stride }

    /// `mark` says something about it to whoever gets it again.
    mutating func append(_ bytes: UnsafeRawBufferPointer, mark: Int32 = 0) {
        items.append(Item(start: memory.count, count: bytes.count, mark: mark))
        memory.append(bytes)
    }

    mutating func removeAll() {
        memory.truncate(to: 0)
        items.removeAll(keepingCapacity: true)
    }

    /// Lends them in an order.
    mutating func forEach(in order: PlaceOrder, _ body: (_ bytes: UnsafeRawBufferPointer, _ mark: Int32) throws -> Void) rethrows {
        let bytes = memory.bytes
        items.sort { order.compare(ByteList.part($0, of: bytes), ByteList.part($1, of: bytes)) < 0 }
        for item in items { try body(ByteList.part(item, of: bytes), item.mark) }
    }

    @inline(__always)
    private static func part(_ item: Item, of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[item.start..<item.start &+ item.count])
    }
}
