import CBLFleece
import CBLStore

/// What a session wants of the database, on behalf of one collection. Each is answered by the `StoreAnswer` that it names, or by `failed`.
///
/// Revisions are named as on the wire: versions of this database by its source ID, never by `*`.
package enum StoreRequest: Sendable {
    /// The own copy of the checkpoint → `checkpoint`.
    case loadCheckpoint
    /// → `done`
    case saveCheckpoint(body: [UInt8])
    /// What is kept for a peer → `peerCheckpoint`.
    case loadPeerCheckpoint(id: String)
    /// Replaces what is kept for a peer if its revision is the given one, empty for none → `peerCheckpoint` with the new revision; a conflict is
    /// `failed` with status 409.
    case savePeerCheckpoint(id: String, revision: String, body: [UInt8])

    /// Local changes behind a sequence, in order, with tombstones; without expired documents, those in conflict with this peer, and what filters
    /// leave out → `changes`
    case readChanges(since: UInt64, limit: Int)
    /// Which of the announced revisions are not here; notes what the peer has of those that are → `lookups`
    case lookUp([ChangesMessage.Entry])
    /// What a passive peer answers to proposals → `verdicts`
    case review([ProposalMessage.Entry])
    /// How a document stands whose proposed revision met a conflict; `peer` is the revision in the way, if it is known → `state`
    case inspect(documentID: String, peer: RevisionID?)
    /// Revisions to be sent → `revisions`
    case loadRevisions([SendOrder], SendOptions)
    /// Stores revisions, in one transaction: applies deltas, translates attachments, and notes that the peer has them → `inserted`
    case insert([ReceivedRevision])
    /// Notes what the peer has → `done`
    case mark([RemoteMark])
    /// A document that was made here knows now of the peer's tombstone, and is newer than that → `done`
    case noteDeletion(documentID: String, revision: RevisionID)
    /// Forgets documents that the user lost access to → `done`, or the `documents` if others stay: a filter keeps them, or the peer has them back
    case purge([LostDocument])
    /// Documents that are in conflict from earlier → `documents`
    case findConflicts
    /// Settles the conflict of a document, by the default rule or the app's → `resolved`
    case resolveConflict(documentID: String)

    /// Whether it changes nothing, so that whoever connected to us need not wait for what others want stored.
    var isReading: Bool {
        switch self {
        case .loadPeerCheckpoint, .readChanges, .review, .loadRevisions: true
        default: false
        }
    }
}

package enum StoreAnswer: Sendable {
    case done
    /// Nil if there is none. `id` is what to ask the peer for.
    case checkpoint(id: String, body: [UInt8]?)
    case peerCheckpoint(revision: String, body: [UInt8]?)
    case changes(LocalChanges)
    case lookups([Lookup])
    case verdicts([ProposalReply.Item])
    case state(DocumentState)
    case revisions([LoadedRevision])
    case inserted([Insertion])
    case documents([String])
    /// Whether a revision was made that the peer does not have.
    case resolved(isNew: Bool)
    case failed(SyncError)
}

/// A document that changed here.
package struct LocalChange: Hashable, Sendable {
    package var sequence: UInt64
    package var documentID: String
    package var revision: RevisionID
    package var isDeleted: Bool
    package var bodySize: Int
    /// The latest revision known on the peer.
    package var remoteRevision: RevisionID?

    package init(
        sequence: UInt64, documentID: String, revision: RevisionID, isDeleted: Bool = false, bodySize: Int = 0,
        remoteRevision: RevisionID? = nil
    ) {
        self.sequence = sequence
        self.documentID = documentID
        self.revision = revision
        self.isDeleted = isDeleted
        self.bodySize = bodySize
        self.remoteRevision = remoteRevision
    }

    /// What an offer names as the peer's revision. If that is the offered one, which is not believed, it is named all the same: without a parent, a
    /// peer that has deleted the document since would take the offer for a new document, and bring it back to life. A tombstone with a vector says
    /// what it knows, and a version that is named as its own parent would be wanted again instead of being known.
    func parentToName(_ peer: RevisionID) -> RevisionID? { peer == revision && revision.isVersion ? nil : peer }
}

/// A document that changed here, and is damaged.
package struct UnreadableChange: Hashable, Sendable {
    package var sequence: UInt64
    package var documentID: String
    /// What to call it to a peer: no peer has such a revision, and none gets it.
    package var substitute: RevisionID
    package var error: SyncError

    func event(in collection: Int) -> DocumentEvent {
        DocumentEvent(.push, collection: collection, documentID: documentID, revision: nil, error: error)
    }
}

package struct LocalChanges: Hashable, Sendable {
    package var changes: [LocalChange]
    package var unreadable: [UnreadableChange] = []
    /// All up to here was looked at, also what is not listed.
    package var last: UInt64
    /// Nothing follows.
    package var isComplete: Bool

    package init(changes: [LocalChange], last: UInt64, isComplete: Bool) {
        self.changes = changes
        self.last = last
        self.isComplete = isComplete
    }
}

/// A document that the user lost access to.
package struct LostDocument: Hashable, Sendable {
    package var documentID: String
    /// What it was when that happened.
    package var revision: RevisionID?

    package init(documentID: String, revision: RevisionID?) {
        self.documentID = documentID
        self.revision = revision
    }
}

/// What is known of an announced revision.
package enum Lookup: Hashable, Sendable {
    case known
    /// It is known, which nobody knew of this peer, and what was made of it since is the change with this sequence.
    case surpassed(by: UInt64)
    /// Not here; these revisions of the document are, the best base of a delta first.
    case unknown(ancestors: [RevisionID])
}

/// How a document stands here.
package struct DocumentState: Hashable, Sendable {
    /// Nil if the document is gone.
    package var current: RevisionID?
    package var remoteRevision: RevisionID?
    /// The peer's revision waits here for its conflict to be settled.
    package var isConflicted: Bool
    /// The current revision descends from the one in the way.
    package var descendsFromPeer: Bool

    package init(current: RevisionID?, remoteRevision: RevisionID?, isConflicted: Bool, descendsFromPeer: Bool) {
        self.current = current
        self.remoteRevision = remoteRevision
        self.isConflicted = isConflicted
        self.descendsFromPeer = descendsFromPeer
    }
}

/// A revision that is to be sent.
package struct SendOrder: Hashable, Sendable {
    package var documentID: String
    package var revision: RevisionID
    /// What the message gives as its sequence.
    package var sequence: RemoteSequence
    /// What the receiver has of the document: the history ends there, and a delta may start there.
    package var ancestors: [RevisionID]
    package var bodySize: Int
    package var allowsDelta = true

    package init(documentID: String, revision: RevisionID, sequence: RemoteSequence, ancestors: [RevisionID], bodySize: Int = 0) {
        self.documentID = documentID
        self.revision = revision
        self.sequence = sequence
        self.ancestors = ancestors
        self.bodySize = bodySize
    }
}

package enum LoadedRevision: Sendable {
    case loaded(RevisionMessage)
    /// The document has changed meanwhile; the newer revision will be told of.
    case obsolete
    case failed(SyncError)
}

/// A revision on its way into the database.
package struct ReceivedRevision: Sendable {
    package var message: RevisionMessage
    /// What was made of the body, when `insert` found that blobs are missing; nil if it has not been looked at.
    package var properties: DocumentProperties?
    /// Whether it may be kept beside a revision that it competes with.
    package var allowsConflict: Bool

    package init(message: RevisionMessage, properties: DocumentProperties? = nil, allowsConflict: Bool) {
        self.message = message
        self.properties = properties
        self.allowsConflict = allowsConflict
    }
}

package enum Insertion: Equatable, Sendable {
    /// The rival is what was the current revision before, if it goes on beside this one; of those with version vectors there is none.
    case inserted(isConflict: Bool, rival: RevisionID? = nil)
    /// It was here already.
    case known
    /// Nothing was stored: these blobs are to be fetched first. With the properties it is stored the next time.
    case incomplete(DocumentProperties, missing: [ReceivedBody.Blob])
    /// The document left the user's channels; nothing was stored.
    case removed
    /// The base is not here, or the delta does not fit it.
    case deltaFailed(String)
    case failed(SyncError)
}

/// A revision that the peer has, or does not want.
package struct RemoteMark: Hashable, Sendable {
    package var documentID: String
    package var revision: RevisionID
    /// The peer refused it for good.
    package var isRejected: Bool

    package init(documentID: String, revision: RevisionID, isRejected: Bool = false) {
        self.documentID = documentID
        self.revision = revision
        self.isRejected = isRejected
    }
}
