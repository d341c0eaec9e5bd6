import FoundationEssentials
import Glibc

/// A directory of a test's own, removed with it.
package final class TemporaryDirectory {
    package let path: String

    /// With `inMemory`, where no disk is waited for, if there is such a place: for tests that write much and ask nothing of the disk.
    package init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let place = inMemory && access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
        path = place + "/cblite-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
