import CBLBase
import CBLFleece
import CBLReplication
import CBLWorkbench

extension InfoPage {
    /// One object. What is not known without `-v` is left out.
    func writeFacts(to session: Session) throws {
        try session.writeFacts { line in
            line.add("path", path)
            line.add("openable", true)
            line.add("schema", facts.generation.rawValue)
            line.add("releases", facts.generation.releases)
            line.add("versioning", facts.versioning == .vectors ? "vectors" : "trees")
            if let publicUUID = facts.publicUUID { line.add("publicUUID", publicUUID.hexadecimal) }
            if let privateUUID = facts.privateUUID { line.add("privateUUID", privateUUID.hexadecimal) }
            if let cipher = facts.cipher { line.add("encryption", cipher) }
            line.add("size", facts.size)
            line.add("logSize", facts.logSize)
            line.add("freeSize", facts.freeSize)
            if facts.blobs.isComplete {
                line.add("blobs", facts.blobs.count)
                line.add("blobSize", facts.blobs.bytes)
            }
            line.add("modified", facts.modified)
            if let times = facts.changeTimes {
                line.add("firstChange", InfoPage.second(times.lowerBound))
                line.add("lastChange", InfoPage.second(times.upperBound))
            }
            if let next = facts.nextExpiration { line.add("nextExpiration", next) }
            line.add("sharedKeys", facts.sharedKeyCount)
            line.add("remotes", objects: facts.remotes.sorted { $0.key < $1.key }) { remote, line in
                line.add("number", Int(remote.key))
                line.add("url", remote.value)
                line.add("collections", objects: facts.syncStates.filter { $0.remote == remote.key }) { state, line in
                    line.add("collection", state.collection.description)
                    line.add("pending", state.pending)
                    line.add("pendingIsExact", state.isExact)
                    guard let checkpoint = state.checkpoint else { return }
                    line.add(
                        "checkpoint",
                        object: { line in
                            if let time = state.time { line.add("time", time) }
                            line.add("local", checkpoint.local)
                            if let remote = checkpoint.remote { line.add("remote", remote.json) }
                        })
                }
            }
            line.add("checkpoints", facts.checkpointCount)
            line.add("collections", objects: facts.collections) { add($0, to: &$1) }
            line.add("indexes", list: facts.indexes.map { "\($0.collection.map { "\($0)." } ?? "")\($0.name)" })
            line.add("warnings", objects: facts.warnings) { warning, line in
                line.add("code", warning.code)
                line.add("text", warning.text)
            }
            if level > 1 {
                line.add("sizes", objects: facts.distribution.sorted { $0.key < $1.key }) { entry, line in
                    line.add("upTo", 1 << entry.key)
                    line.add("documents", entry.value)
                }
            }
        }
    }

    private func add(_ collection: DatabaseFacts.Collection, to line: inout JSONObjectWriter) {
        line.add("name", collection.name.description)
        line.add("documents", collection.statistics.live)
        line.add("deleted", collection.statistics.deleted)
        line.add("lastSequence", collection.lastSequence)
        line.add("expiring", collection.statistics.expiring)
        if let next = collection.nextExpiration { line.add("nextExpiration", next) }
        guard collection.isCounted else { return }
        line.add("withBlobs", collection.statistics.withBlobs)
        line.add("missingBlobs", collection.missingBlobs)
        line.add("conflicted", collection.statistics.conflicted)
        line.add("bodyBytes", collection.statistics.bodyBytes)
        line.add("revisionBytes", collection.statistics.revisionBytes)
    }
}
