import CBLDiskCalls
import CBLStore
import CBLTestSupport
import Testing

extension ReliabilityTests {
    @Suite struct ManyBlobsTests {
        /// Waited for one by one, thousands of files take seconds.
        @Test func theDiskTakesThemAtOnce() throws {
            let directory = try TemporaryDirectory(inMemory: true)
            let database = try Database(path: directory.path + "/db.cblite2", options: .create)
            try database.saveBlob("first", "one")
            let watch = try DiskWatch(directory.path)
            do {
                defer { _ = watch.end() }
                try database.write { _ in
                    for number in 0..<200 { try database.saveBlob("doc-\(number)", "blob \(number)", waits: true) }
                }
                #expect(watch.callCounts[disk_sync.rawValue, default: 0] < 12)
            }
            database.close()
        }
    }
}
