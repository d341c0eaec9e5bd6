import CouchbaseLiteSwift
import Testing

@Suite struct ConflictTests {
    let pair: Pair

    init() throws { pair = try Pair() }

    private func pull(_ resolver: @escaping (Conflict) -> Document?) -> Replication {
        pair.run(pair.config(.pull) { $0.conflictResolver = Resolver(resolver) })
    }

    private var result: [String: Any]? { try? pair.mine.document(id: "doc")?.toDictionary() }
    private func has(_ properties: [String: Any]) -> Bool {
        result.map { NSDictionary(dictionary: $0) == NSDictionary(dictionary: properties) } ?? false
    }

    @Test func eitherSideCanWin() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let seen = Shared<Conflict?>(nil)
        let run = pull { conflict in
            seen.change { $0 = conflict }
            return conflict.localDocument
        }
        #expect(has(["by": "us"]))
        let conflict = try #require(seen.value)
        #expect(conflict.documentID == "doc")
        #expect(conflict.localDocument?.string(forKey: "by") == "us" && conflict.remoteDocument?.string(forKey: "by") == "them")
        #expect(conflict.localDocument?.collection == pair.mine && conflict.remoteDocument?.collection == pair.mine)
        #expect((conflict.localDocument?.timestamp ?? 0) > 0 && (conflict.remoteDocument?.timestamp ?? 0) > 0)
        // One event for each document, and when all is done.
        #expect(run.ids == ["doc"] && run.documents[0].error == nil && run.replications.allSatisfy { !$0.isPush })
        try pair.conflict(["by": "us again"], ["by": "them again"])
        #expect(pull(\.remoteDocument).ids == ["doc"])
        #expect(has(["by": "them again"]))
    }

    @Test func nothingIsADeletion() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        #expect(pull { _ in nil }.error == nil)
        #expect(pair.mine.count == 0)
    }

    @Test(arguments: [true, false]) func aSideThatWasDeletedIsNil(_ isLocal: Bool) throws {
        try pair.conflict(isLocal ? nil : ["by": "us"], isLocal ? ["by": "them"] : nil)
        let run = pull { conflict in
            #expect((conflict.localDocument == nil) == isLocal && (conflict.remoteDocument == nil) != isLocal)
            return conflict.localDocument ?? conflict.remoteDocument
        }
        #expect(run.error == nil && has(["by": isLocal ? "them" : "us"]))
    }

    @Test func twoDeletionsAreNoConflict() throws {
        try pair.conflict(nil, nil)
        let run = pull { _ in
            Issue.record("there is nothing to decide")
            return nil
        }
        #expect(run.error == nil && pair.mine.count == 0)
    }

    @Test func aResultCanBeAnotherDocument() throws {
        for (change, expected) in [
            ({ $0.localDocument?.toMutable().setInt(1, forKey: "edit") }, ["by": "us", "edit": 1]),
            ({ $0.remoteDocument?.toMutable().setInt(2, forKey: "edit") }, ["by": "them", "edit": 2]),
            ({ _ in MutableDocument(id: "doc", data: ["new": true]) }, ["new": true]),
        ] as [((Conflict) -> Document?, [String: Any])] {
            try pair.conflict(["by": "us"], ["by": "them"])
            #expect(pull(change).documents.allSatisfy { $0.error == nil })
            #expect(has(expected))
        }
        // What was settled here is for the next push.
        #expect(pair.run(pair.config(.push)).ids == ["doc"])
        #expect(try pair.other.document(id: "doc")?.boolean(forKey: "new") == true)
    }

    @Test func aSettlementIsPushedByTheNextRun() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let config = pair.config { $0.conflictResolver = Resolver(\.localDocument) }
        #expect(pair.run(config).error == nil)
        #expect(has(["by": "us"]))
        #expect(try pair.other.document(id: "doc")?.string(forKey: "by") == "them")
        #expect(pair.run(config).documents(isPush: true).map(\.id) == ["doc"])
        #expect(try pair.other.document(id: "doc")?.string(forKey: "by") == "us")
    }

    @Test func aContinuousReplicatorPushesItAtOnce() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        pair.run(pair.config(continuous: true) { $0.conflictResolver = Resolver(\.localDocument) })
        #expect(try pair.other.document(id: "doc")?.string(forKey: "by") == "us")
    }

    @Test func anotherNameIsIgnored() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let run = pull { _ in MutableDocument(id: "another", data: ["new": true]) }
        #expect(run.ids == ["doc"] && run.documents[0].error == nil)
        #expect(has(["new": true]) && pair.mine.count == 1)
    }

    @Test func aDocumentOfAnotherDatabaseIsRefusedAndTheConflictStays() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let other = pair.other
        var run = pull { _ in try? other.document(id: "doc") }
        let error = run.documents.first?.error as NSError?
        #expect(run.error == nil && run.ids == ["doc"])
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.conflict)
        #expect(has(["by": "us"]))
        run = pull(\.remoteDocument)
        #expect(run.documents.allSatisfy { $0.error == nil } && has(["by": "them"]))
    }

    @Test func blobsOfBothSidesCanBeUsed() throws {
        let (one, two) = (Data("one".utf8), Data("two".utf8))
        try pair.conflict(["a": Blob(contentType: "text/plain", data: one)], ["b": Blob(contentType: "text/plain", data: two)])
        let run = pull { conflict in
            #expect(conflict.localDocument?.blob(forKey: "a")?.content == one)
            #expect(conflict.remoteDocument?.blob(forKey: "b")?.content == two)
            return conflict.localDocument?.toMutable().setBlob(conflict.remoteDocument?.blob(forKey: "b"), forKey: "b")
                .setBlob(Blob(contentType: "text/plain", data: Data("new".utf8)), forKey: "c")
        }
        #expect(run.documents.allSatisfy { $0.error == nil })
        let document = try #require(try pair.mine.document(id: "doc"))
        #expect(["a", "b", "c"].map { document.blob(forKey: $0)?.content } == [one, two, Data("new".utf8)])
    }

    @Test func aBlobOfAnotherDatabaseIsRefused() throws {
        try pair.conflict(["by": "us"], ["photo": Blob(contentType: "text/plain", data: Data("x".utf8))])
        let foreign = try #require(try pair.other.document(id: "doc")?.blob(forKey: "photo"))
        let run = pull { $0.localDocument?.toMutable().setBlob(foreign, forKey: "photo") }
        let error = try #require(run.documents.first?.error as NSError?)
        #expect(error.domain == CBLError.domain && error.code == CBLError.unexpectedError)
        #expect(
            error.localizedDescription
                == "A document contains a blob that was saved to a different database. The save operation cannot complete.")
    }

    @Test func aDocumentThatChangesMeanwhileIsAskedAboutAgain() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let count = Shared(0)
        let mine = pair.mine
        let run = pull { conflict in
            count.change { $0 += 1 }
            if count.value == 1, let current = try? mine.document(id: "doc")?.toMutable() {
                try? mine.save(document: current.setBoolean(true, forKey: "second"))
            }
            return conflict.localDocument?.toMutable().setInt(count.value, forKey: "edit")
        }
        #expect(count.value == 2 && run.ids == ["doc"])
        #expect(has(["by": "us", "second": true, "edit": 2]))
    }

    @Test func aDocumentThatIsPurgedMeanwhileIsNotFound() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let mine = pair.mine
        let run = pull { conflict in
            try? mine.purge(id: conflict.documentID)
            return conflict.remoteDocument
        }
        #expect((run.documents.first?.error as NSError?)?.code == CBLError.notFound && run.documents.count == 1)
    }

    @Test func severalAreSettledAtTheSameTime() throws {
        for id in ["one", "two"] { try pair.conflict(id, ["by": "us"], ["by": "them"]) }
        let order = Shared<[String]>([])
        let run = pull { conflict in
            order.change { $0.append(conflict.documentID) }
            // The first waits for the second, which would otherwise never come.
            if order.value.count == 1 { while order.value.count < 3 { usleep(1000) } }
            order.change { $0.append(conflict.documentID) }
            return conflict.remoteDocument
        }
        #expect(run.error == nil && Set(run.ids) == ["one", "two"])
        #expect(order.value.count == 4 && order.value.first == order.value.last && order.value[1] == order.value[2])
    }

    @Test func theDefaultTakesDeletionsThenTheLaterChange() throws {
        for resolver in [nil, ConflictResolver.default] {
            try pair.conflict("local", ["by": "us"], ["by": "them"])
            try pair.save("local", ["by": "us, later"], in: pair.mine)
            try pair.conflict("remote", ["by": "us"], ["by": "them"])
            try pair.conflict("deleted here", nil, ["by": "them"])
            try pair.conflict("deleted there", ["by": "us"], nil)
            #expect(pair.run(pair.config(.pull) { $0.conflictResolver = resolver }).error == nil)
            #expect(try pair.mine.document(id: "local")?.string(forKey: "by") == "us, later")
            #expect(try pair.mine.document(id: "remote")?.string(forKey: "by") == "them")
            #expect(try pair.mine.document(id: "deleted here") == nil && pair.mine.document(id: "deleted there") == nil)
            for id in ["local", "remote", "deleted here", "deleted there"] { _ = try? pair.mine.purge(id: id) }
            for id in ["local", "remote", "deleted here", "deleted there"] { _ = try? pair.other.purge(id: id) }
        }
    }

    @Test func stoppingWaitsForWhoIsStillDeciding() throws {
        try pair.conflict(["by": "us"], ["by": "them"])
        let isAsked = Shared(false)
        let mayGo = Shared(false)
        let replicator = Replicator(
            config: pair.config(.pull) {
                $0.conflictResolver = Resolver { conflict in
                    isAsked.change { $0 = true }
                    while !mayGo.value { usleep(1000) }
                    return conflict.remoteDocument
                }
            })
        let statuses = Told<Replicator.ActivityLevel>()
        let documents = Told<ReplicatedDocument>()
        replicator.addChangeListener(withQueue: statuses.queue) { statuses.add($0.status.activity) }
        replicator.addDocumentReplicationListener(withQueue: statuses.queue) { $0.documents.forEach { documents.add($0) } }
        replicator.start()
        while !isAsked.value { usleep(1000) }
        replicator.stop()
        usleep(200_000)
        #expect(replicator.status.activity != .stopped && documents.all.isEmpty)
        mayGo.change { $0 = true }
        #expect(statuses.wait { $0.last == .stopped })
        #expect(documents.all.map(\.id) == ["doc"] && documents.all[0].error == nil && has(["by": "them"]))
    }
}
