/// Which b-tree each page of a database file belongs to, from the file's pointer maps: in files with auto-vacuum they name each page's parent, and
/// are one page in eight hundred. So the room that tables and indexes take is counted without reading these.
///
/// Format: a pointer map stands before the pages it tells of. It has five bytes for each: what kind of page it is, and its parent, big-endian.
struct PageOwners {
    private enum Kind {
        static let root: UInt8 = 1
        static let free: UInt8 = 2
        static let firstOverflow: UInt8 = 3
        static let laterOverflow: UInt8 = 4
        static let node: UInt8 = 5
    }

    private static let entrySize = 5

    /// Pages by the number of the root page of the b-tree that they belong to.
    private(set) var pagesOfRoot: [UInt32: Int] = [:]
    private(set) var free = 0
    /// Pointer maps, and what the maps say nothing sensible about.
    private(set) var others = 0

    /// `readMap` gives the content of a page, of which only pointer maps are asked for; nil ends the count.
    init?(pageCount: Int, usableSize: Int, readMap: (_ page: Int) throws -> [UInt8]?) rethrows {
        guard usableSize >= 480, pageCount > 2, pageCount < Int(UInt32.max) else { return nil }
        let perMap = usableSize / PageOwners.entrySize
        // Of each page its parent, which is itself for a root, and 0 for what has none.
        var parents = [UInt32](repeating: 0, count: pageCount + 1)
        parents[1] = 1
        var map = 2
        while map <= pageCount {
            guard let bytes = try readMap(map), bytes.count >= usableSize else { return nil }
            others += 1
            for index in 0..<perMap {
                let page = map + 1 + index
                guard page <= pageCount else { break }
                let start = index * PageOwners.entrySize
                let parent = bytes[(start + 1)...(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                switch bytes[start] {
                case Kind.root: parents[page] = UInt32(page)
                case Kind.free: free += 1
                case Kind.firstOverflow, Kind.laterOverflow, Kind.node:
                    if parent > 0, parent <= pageCount { parents[page] = parent } else { others += 1 }
                default: others += 1
                }
            }
            map += perMap + 1
        }
        count(&parents)
    }

    /// Walks up from each page, and shortens the way for those that come later.
    private mutating func count(_ parents: inout [UInt32]) {
        for page in parents.indices.dropFirst() where parents[page] != 0 {
            var top = page
            var steps = 0
            while parents[top] != UInt32(top), parents[top] != 0, steps < parents.count {
                top = Int(parents[top])
                steps += 1
            }
            guard parents[top] == UInt32(top) else {
                // Damage: the way up ends nowhere, or goes round in circles.
                others += 1
                continue
            }
            var place = page
            while place != top {
                let next = Int(parents[place])
                parents[place] = UInt32(top)
                place = next
            }
            pagesOfRoot[UInt32(top), default: 0] += 1
        }
    }
}
