import BLIP
import DocumentStore

// Blobs in both directions, a piece at a time.
extension SyncConnection {
    func sendBlob(_ request: GetAttachment, to id: IncomingID) {
        do {
            let reader = try BlobReader(blobs, request.digest)
            respond(to: id, with: OutgoingMessage(body: .source(BlobBody(reader)), isCompressed: request.compress))
        } catch {
            respond(to: id, with: DatabaseStore.translate(error))
        }
    }

    func proveBlob(_ request: ProveAttachment, to id: IncomingID) {
        let blobs = blobs
        worker.perform { [weak self] in
            let answer: Result<String, SyncError>
            do {
                var proof = PossessionProof(nonce: request.nonce)
                try blobs.read(request.digest) { proof.update($0) }
                answer = .success(proof.finish())
            } catch {
                answer = .failure(DatabaseStore.translate(error))
            }
            self?.later { connection in
                switch answer {
                case .success(let proof): connection.respond(to: id, with: OutgoingMessage(body: .bytes(Array(proof.utf8))))
                case .failure(let error): connection.respond(to: id, with: error)
                }
                connection.pumpAndRegulate()
            }
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
            return handle(.fetched(SyncError(WireReply(message)), fetch.ticket))
        }
        write(Array(message.body), of: fetch)
        finish(sent, fetch)
    }

    private func write(_ bytes: [UInt8], of fetch: Fetch) {
        guard !bytes.isEmpty else { return }
        unwrittenBytes += bytes.count
        worker.perform { [weak self] in
            fetch.blob.append(bytes)
            self?.later { connection in
                connection.unwrittenBytes -= bytes.count
                connection.regulate()
            }
        }
    }

    private func finish(_ sent: SentMessage, _ fetch: Fetch) {
        fetches[sent] = nil
        worker.perform { [weak self] in
            let error = fetch.blob.finish()
            self?.later { $0.handle(.fetched(error, fetch.ticket)) }
        }
    }
}
