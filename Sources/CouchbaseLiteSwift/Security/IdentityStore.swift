internal import CBLBase
internal import CBLTransport
import Foundation
import Synchronization

/// Where identities are kept: a folder for each, called by the digest of its label, with `key.pem` and `chain.pem`. Nobody else can read any of it.
struct IdentityStore {
    private static let chosen = Mutex<String?>(nil)
    private static let key = "key.pem"
    private static let chain = "chain.pem"

    let directory: String

    static var chosenDirectory: String? {
        get { chosen.withLock { $0 } }
        set { chosen.withLock { $0 = newValue } }
    }

    static var current: IdentityStore {
        let given = chosenDirectory ?? ProcessInfo.processInfo.environment["CBLITE_IDENTITIES"]
        return IdentityStore(directory: given ?? DatabaseConfiguration.defaultDirectory + "/identities")
    }

    /// A label is any text, and never part of a path.
    private func folder(_ label: String) -> String {
        let digest = Array(label.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
        return directory + "/" + digest.withUnsafeBytes { Hex.text(of: $0) }
    }

    func identity(_ label: String) throws -> CBLTransport.TLSIdentity? { try read(folder(label)) }

    private func read(_ folder: String) throws -> CBLTransport.TLSIdentity? {
        guard let key = try content(of: folder + "/" + IdentityStore.key) else { return nil }
        guard let chain = try content(of: folder + "/" + IdentityStore.chain) else { return nil }
        return try CBLTransport.TLSIdentity(certificates: chain, certificateName: IdentityStore.chain, key: key, keyName: IdentityStore.key)
    }

    func checkIsFree(_ label: String) throws {
        if access(folder(label), F_OK) == 0 { throw taken(label) }
    }

    private func taken(_ label: String) -> NSError {
        libraryError(CBLError.crypto, "There is an identity with the label \"\(ForeignText.line(label))\" already.")
    }

    /// All of it is there, or nothing; of two with one label that are added at the same time, one fails.
    func add(_ identity: CBLTransport.TLSIdentity, _ label: String) throws {
        try checkIsFree(label)
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw libraryError(CBLError.crypto, "The folder \(directory) cannot be made: \(error.localizedDescription)")
        }
        let new = directory + "/.new-" + UUID().uuidString
        guard mkdir(new, 0o700) == 0 else { throw failure("cannot make the folder \(new)", errno) }
        do {
            try write(try identity.keyPEM(), to: new + "/" + IdentityStore.key)
            try write(identity.certificatePEM, to: new + "/" + IdentityStore.chain)
            // A folder that has something in it is not replaced.
            guard rename(new, folder(label)) == 0 else {
                throw errno == EEXIST || errno == ENOTEMPTY ? taken(label) : failure("cannot keep the identity in \(directory)", errno)
            }
            guard DurableFile.synchronizeFolder(of: folder(label)) else { throw failure("cannot keep the identity in \(directory)", errno) }
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw error
        }
    }

    func delete(_ label: String) throws { try delete(at: folder(label)) }

    /// Deletes those for which this holds. One that cannot be read is not one of them.
    func delete(where isUnwanted: (CBLTransport.TLSIdentity) -> Bool) throws {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else { return }
        for name in names where !name.hasPrefix(".") {
            let folder = directory + "/" + name
            if let identity = try? read(folder), isUnwanted(identity) { try delete(at: folder) }
        }
    }

    private func delete(at folder: String) throws {
        let gone = directory + "/.old-" + UUID().uuidString
        // At once for everybody: nobody finds half of it.
        guard rename(folder, gone) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return }
            throw failure("cannot delete the identity in \(folder)", errno)
        }
        do {
            try FileManager.default.removeItem(atPath: gone)
        } catch {
            throw libraryError(CBLError.crypto, "The identity in \(gone) cannot be deleted: \(error.localizedDescription)")
        }
    }

    // MARK: Files

    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot write \(path)", errno) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("cannot write \(path)", errno) }
            rest = rest.dropFirst(count)
        }
        guard DurableFile.synchronize(descriptor, named: path) else { throw failure("cannot write \(path)", errno) }
    }

    /// Nil if there is no such file. One that others may read, or that is not this user's, is not trusted.
    private func content(of path: String) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("cannot read \(path)", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("cannot read \(path)", errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw libraryError(
                CBLError.crypto, "\(path) is not used: it must be a file of this user's that nobody else can read (mode 600).")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while bytes.count < IdentityStore.largestFile {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("cannot read \(path)", errno) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
        throw libraryError(CBLError.crypto, "\(path) is too large.")
    }

    private static let largestFile = 1 << 20

    private func failure(_ what: String, _ code: Int32) -> NSError {
        libraryError(CBLError.crypto, "The identity: \(what): \(String(cString: strerror(code))).")
    }
}
