import CBLBLIP
import CBLStore

// Blobs in both directions, a piece at a time.
//
// Each that is under way has a file open, so there are only so many at a time: the others wait.
extension SyncConnection {
    /// A blob that the peer asks for, or wants proof of.
    enum QueuedBlob {
        case send(GetAttachment, IncomingID)
        case prove(ProveAttachment, IncomingID)
    }

    func serveNextBlob() {
        while openBlobs < SyncConnection.mostBlobs, let next = queuedBlobs.popFirst() {
            switch next {
            case .send(let request, let id): sendBlob(request, to: id)
            case .prove(let request, let id): proveBlob(request, to: id)
            }
        }
    }

    private func blobIsServed() {
        openBlobs -= 1
        serveNextBlob()
    }

    private func sendBlob(_ request: GetAttachment, to id: IncomingID) {
        check(request.digest, for: id) { connection, reader in
            let body = BlobBody(reader) { [weak connection] in connection?.later { $0.blobIsServed() } }
            connection.respond(to: id, with: OutgoingMessage(body: .source(body), isCompressed: request.compress))
        }
    }

    private func proveBlob(_ request: ProveAttachment, to id: IncomingID) {
        check(request.digest, for: id) { connection, reader in connection.prove(BlobProof(reader, nonce: request.nonce), to: id) }
    }

    /// Opens a blob and looks at all of it before anything of it leaves: what has its name may be something else.
    private func check(_ digest: BlobDigest, for id: IncomingID, _ serve: @escaping @Sendable (SyncConnection, BlobReader) -> Void) {
        do {
            let blob = try UncheckedBlob(blobs, digest)
            openBlobs += 1
            check(blob, for: id, serve)
        } catch {
            respond(to: id, with: ReplicatedDatabase.translate(error))
        }
    }

    /// Looks at the blob a piece at a time: others have work to be done, too.
    private func check(_ blob: UncheckedBlob, for id: IncomingID, _ serve: @escaping @Sendable (SyncConnection, BlobReader) -> Void) {
        blobWorker.perform { [weak self] in
            let result = Result { () throws(StoreError) in try blob.checkPiece() }
            self?.later { connection in
                switch result {
                case .success(nil): return connection.check(blob, for: id, serve)
                case .success(let reader?): serve(connection, reader)
                case .failure(let error):
                    connection.respond(to: id, with: ReplicatedDatabase.translate(error))
                    connection.blobIsServed()
                }
                connection.pumpAndRegulate()
            }
        }
    }

    /// Reads the blob a piece at a time, likewise.
    private func prove(_ proof: BlobProof, to id: IncomingID) {
        blobWorker.perform { [weak self] in
            let result = proof.readPiece()
            self?.later { connection in
                switch result {
                case nil: return connection.prove(proof, to: id)
                case .success(let text)?: connection.respond(to: id, with: OutgoingMessage(body: .bytes(Array(text.utf8))))
                case .failure(let error)?: connection.respond(to: id, with: error)
                }
                connection.blobIsServed()
                connection.pumpAndRegulate()
            }
        }
    }

    /// Asks for the next of the blobs that are missing here.
    func fetchNext() {
        while fetches.count < SyncConnection.mostBlobs, let next = queuedFetches.popFirst() {
            guard let sent = send(next.request.wire.message) else { return }
            fetches[sent] = Fetch(ticket: next.ticket, blob: ArrivingBlob(next.message.digest, length: next.length, in: blobs))
        }
    }

    /// The answer to a request for a blob begins, and has more than one frame.
    func began(_ message: IncomingMessage) {
        guard case .response(to: let sent) = message.origin, let fetch = fetches[sent], !message.isError,
            let bytes = blip.streamBody(of: message)
        else { return pumpAndRegulate() }
        write(bytes, of: fetch)
        pumpAndRegulate()
    }

    func bodyCame(_ origin: IncomingMessage.Origin, _ bytes: [UInt8], isLast: Bool) {
        guard case .response(to: let sent) = origin, let fetch = fetches[sent] else { return pumpAndRegulate() }
        write(bytes, of: fetch)
        if isLast { finish(sent, fetch) }
        // The acknowledgement that the peer waits for.
        pumpAndRegulate()
    }

    /// It came whole, or it does not come.
    func blobCame(_ sent: SentMessage, _ message: IncomingMessage) {
        guard let fetch = fetches[sent] else { return }
        guard !message.isError else {
            fetches[sent] = nil
            fetchNext()
            return handle(.fetched(SyncError(WireReply(message)), fetch.ticket))
        }
        write(Array(message.body), of: fetch)
        finish(sent, fetch)
    }

    private func write(_ bytes: [UInt8], of fetch: Fetch) {
        guard !bytes.isEmpty else { return }
        unwrittenBytes += bytes.count
        blobWorker.perform { [weak self] in
            fetch.blob.append(bytes)
            self?.later { connection in
                connection.unwrittenBytes -= bytes.count
                connection.regulate()
            }
        }
    }

    private func finish(_ sent: SentMessage, _ fetch: Fetch) {
        fetches[sent] = nil
        fetchNext()
        blobWorker.perform { [weak self] in
            let error = fetch.blob.finish()
            self?.later { $0.handle(.fetched(error, fetch.ticket)) }
        }
    }
}
