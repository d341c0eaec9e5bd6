import CBLTestSupport
import Testing

@testable import CBLReplication
@testable import CBLTransport

/// Who connects to whom, and when: the decisions alone.
@Suite struct MeshTests {
    private static func announcement(
        _ digit: Character, _ databases: [String] = ["db"], isSecure: Bool = false, isInMesh: Bool = true
    ) -> PeerAnnouncement {
        PeerAnnouncement(
            id: String(repeating: digit, count: 32), databases: databases.map { .init(name: $0, uuid: "") }, isSecure: isSecure,
            isInMesh: isInMesh)
    }

    private static func peer(_ announcement: PeerAnnouncement, named name: String = "peer", port: UInt16 = 1, addresses: Int = 2)
        -> FoundPeer
    {
        FoundPeer(
            .init(name: name), host: "h.local", port: port, addresses: (0..<addresses).map { "192.0.2.\($0 + 1)" }, text: announcement.text)
    }

    private let own = announcement("5")
    private func link(_ digit: Character, _ database: String = "db") -> Mesh.Link {
        Mesh.Link(peer: String(repeating: digit, count: 32), database: database)
    }

    /// The links that are begun at once.
    private func begun(_ actions: [Mesh.Action]) -> [Mesh.Link] {
        actions.compactMap { if case .connect(let link, _, _) = $0 { link } else { nil } }
    }

    @Test func theSmallerNumberConnects() {
        var mesh = Mesh(own, vectorDatabases: ["db"])
        #expect(begun(mesh.handle(.found(Self.peer(Self.announcement("7"))), at: 0)) == [link("7")])
        #expect(mesh.handle(.found(Self.peer(Self.announcement("3"), named: "other")), at: 0) == [])
        // Who does not connect by itself is connected to.
        #expect(begun(mesh.handle(.found(Self.peer(Self.announcement("2", isInMesh: false), named: "third")), at: 0)) == [link("2")])
        // That is this server, under whatever name.
        #expect(mesh.handle(.found(Self.peer(own, named: "own")), at: 0) == [])
    }

    @Test func withTreesThereIsOnePartner() {
        var mesh = Mesh(own, vectorDatabases: [])
        let (third, first) = (Self.peer(Self.announcement("3"), named: "third"), Self.peer(Self.announcement("1"), named: "first"))
        #expect(mesh.handle(.found(Self.peer(Self.announcement("7"))), at: 0) == [])
        // As long as nobody comes before it, those who do not connect are its own.
        #expect(begun(mesh.handle(.found(Self.peer(Self.announcement("2", isInMesh: false), named: "alone")), at: 0)) == [link("2")])
        #expect(mesh.handle(.connected(link("2")), at: 0) == [])
        // What is better takes the place of what works when it works itself.
        #expect(begun(mesh.handle(.found(third), at: 1)) == [link("3")])
        #expect(mesh.handle(.connected(link("3")), at: 2) == [.leave(link("2"))])
        #expect(mesh.handle(.ended(link("2")), at: 2) == [])
        let actions = mesh.handle(.found(first), at: 3)
        #expect(begun(actions) == [link("1")] && actions.count == 1)
        #expect(mesh.handle(.connected(link("1")), at: 4) == [.leave(link("3"))])
        #expect(mesh.handle(.ended(link("3")), at: 4) == [] && mesh.running == [link("1")])
        // It is not heard of for a moment.
        #expect(begun(mesh.handle(.lost(first.service), at: 10)) == [link("3")])
        #expect(mesh.handle(.connected(link("3")), at: 10) == [.leave(link("1"))])
        #expect(mesh.handle(.found(first), at: 11) == [])
        #expect(begun(mesh.handle(.ended(link("1")), at: 12)) == [link("1")])
    }

    @Test func withTreesNothingEndsWhenNobodyIsHeardOf() {
        for isInMesh in [true, false] {
            var mesh = Mesh(own, vectorDatabases: [])
            let peer = Self.peer(Self.announcement("3", isInMesh: isInMesh))
            _ = mesh.handle(.found(peer), at: 0)
            _ = mesh.handle(.connected(link("3")), at: 0)
            #expect(mesh.handle(.lost(peer.service), at: 1) == [] && mesh.running == [link("3")])
            #expect(mesh.handle(.found(peer), at: 2) == [] && mesh.running == [link("3")])
            // It does not offer the database any more.
            let other = Self.peer(Self.announcement("3", ["other"], isInMesh: isInMesh))
            #expect(mesh.handle(.found(other), at: 3) == [.leave(link("3"))])
        }
    }

    /// Somebody announces small numbers, and lets nobody in.
    @Test func aStrangerDoesNotComeBetweenPartners() {
        var mesh = Mesh(own, vectorDatabases: [])
        _ = mesh.handle(.found(Self.peer(Self.announcement("3"), named: "partner")), at: 0)
        _ = mesh.handle(.connected(link("3")), at: 0)
        for (number, digit) in ["0", "1", "2"].enumerated() {
            let stranger = Self.peer(Self.announcement(Character(digit)), named: "stranger \(number)")
            let actions = mesh.handle(.found(stranger), at: 1)
            #expect(begun(actions) == [link(Character(digit))] && actions.count == 1)
            #expect(mesh.handle(.ended(link(Character(digit))), at: 2) == [])
            #expect(mesh.running == [link("3")])
        }
        // They are not tried again as long as there is a partner, and after that not before their time.
        #expect(mesh.nextTime == nil && mesh.handle(.timePassed, at: 1000) == [])
        // The partner fails, and all are tried.
        _ = mesh.handle(.ended(link("3")), at: 1001)
        #expect(mesh.handle(.timePassed, at: 1400).count >= 1)
    }

    /// The order is that of the databases, which stay the same; who was a partner is one again, for a while.
    @Test func withTreesPartnersStayTheSame() {
        func announcement(_ id: Character, _ uuid: Character) -> PeerAnnouncement {
            PeerAnnouncement(
                id: String(repeating: id, count: 32), databases: [.init(name: "db", uuid: String(repeating: uuid, count: 32))],
                isInMesh: true)
        }
        var mesh = Mesh(announcement("0", "c"), vectorDatabases: [])
        #expect(begun(mesh.handle(.found(Self.peer(announcement("9", "a"), named: "a")), at: 0)) == [link("9")])
        #expect(mesh.handle(.found(Self.peer(announcement("1", "b"), named: "b")), at: 0) == [])
        #expect(mesh.handle(.found(Self.peer(announcement("2", "d"), named: "d")), at: 0) == [])
        _ = mesh.handle(.connected(link("9")), at: 1)
        var now = 2.0
        for _ in 0..<Mesh.patience {
            #expect(mesh.handle(.ended(link("9")), at: now) == [])
            now = mesh.nextTime ?? 0
            #expect(begun(mesh.handle(.timePassed, at: now)) == [link("9")])
        }
        #expect(begun(mesh.handle(.ended(link("9")), at: now)) == [link("1")])
        // In another run it is as good as it ever was.
        _ = mesh.handle(.connected(link("1")), at: now)
        #expect(begun(mesh.handle(.found(Self.peer(announcement("8", "a"), named: "a")), at: now)) == [link("8")])
        #expect(mesh.handle(.connected(link("8")), at: now) == [.leave(link("1"))])
    }

    @Test func onlyWhatBothHaveIsReplicated() {
        var mesh = Mesh(Self.announcement("5", ["a", "b", "c"]), vectorDatabases: ["a", "b", "c"])
        let actions = mesh.handle(.found(Self.peer(Self.announcement("7", ["x", "c", "b"]))), at: 0)
        #expect(begun(actions) == [link("7", "b"), link("7", "c")])
        // It does not offer one of them any more.
        let changed = mesh.handle(.found(Self.peer(Self.announcement("7", ["b"]))), at: 1)
        #expect(changed == [.leave(link("7", "c"))])
        #expect(mesh.handle(.ended(link("7", "c")), at: 2) == [] && mesh.nextTime == nil)
    }

    @Test(arguments: [true, false]) func nobodyTalksSomebodyOutOfTLS(_ isSecure: Bool) {
        var mesh = Mesh(Self.announcement("5", isSecure: isSecure), vectorDatabases: ["db"])
        #expect(mesh.handle(.found(Self.peer(Self.announcement("7", isSecure: !isSecure))), at: 0) == [])
        #expect(begun(mesh.handle(.found(Self.peer(Self.announcement("7", isSecure: isSecure))), at: 0)) == [link("7")])
    }

    @Test func pausesGrowUntilAConnectionWasGood() {
        var mesh = Mesh(own, vectorDatabases: ["db"])
        _ = mesh.handle(.found(Self.peer(Self.announcement("7"))), at: 0)
        var now = 0.0
        var pauses: [Double] = []
        var attempts: [Int] = []
        for _ in 0..<10 {
            #expect(mesh.handle(.ended(link("7")), at: now) == [])
            let pause = mesh.pause(of: link("7"), at: now) ?? -1
            pauses.append(pause)
            #expect(mesh.handle(.timePassed, at: now + pause / 2) == [])
            now += pause
            for case .connect(_, _, let attempt) in mesh.handle(.timePassed, at: now) { attempts.append(attempt) }
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        // The addresses take turns.
        #expect(attempts == Array(1...10))
        _ = mesh.handle(.connected(link("7")), at: now)
        _ = mesh.handle(.ended(link("7")), at: now + 100)
        #expect(mesh.pause(of: link("7"), at: now + 100) == 2)
        // One that ends at once is as bad as none, but its address is right.
        for case .connect(_, _, let attempt) in mesh.handle(.timePassed, at: now + 102) { #expect(attempt == 10) }
        _ = mesh.handle(.connected(link("7")), at: now + 102)
        _ = mesh.handle(.ended(link("7")), at: now + 103)
        #expect(mesh.pause(of: link("7"), at: now + 103) == 4)
    }

    @Test func whoGoesIsForgottenWhenTheConnectionEnds() {
        var mesh = Mesh(own, vectorDatabases: ["db"])
        let peer = Self.peer(Self.announcement("7"))
        _ = mesh.handle(.found(peer), at: 0)
        _ = mesh.handle(.connected(link("7")), at: 0)
        #expect(mesh.handle(.lost(peer.service), at: 1) == [] && mesh.running == [link("7")])
        // It is heard of again, and nothing has happened.
        #expect(mesh.handle(.found(peer), at: 2) == [] && mesh.running == [link("7")])
        _ = mesh.handle(.lost(peer.service), at: 3)
        #expect(mesh.handle(.ended(link("7")), at: 4) == [] && mesh.running.isEmpty && mesh.nextTime == nil)
        #expect(begun(mesh.handle(.found(peer), at: 5)) == [link("7")])
    }

    @Test func whoComesBackIsTriedSoon() {
        var mesh = Mesh(own, vectorDatabases: ["db"])
        let peer = Self.peer(Self.announcement("7"))
        _ = mesh.handle(.found(peer), at: 0)
        for time in [0.0, 2, 6, 14, 30] {
            _ = mesh.handle(.ended(link("7")), at: time)
            _ = mesh.handle(.timePassed, at: time + (mesh.pause(of: link("7"), at: time) ?? 0))
        }
        _ = mesh.handle(.ended(link("7")), at: 62)
        // The same once more changes nothing; another port does. Nobody makes this side connect all the time by that.
        _ = mesh.handle(.found(peer), at: 63)
        #expect(mesh.pause(of: link("7"), at: 62) == 64)
        #expect(mesh.handle(.found(Self.peer(Self.announcement("7"), port: 2)), at: 64) == [])
        #expect(mesh.pause(of: link("7"), at: 64) == 2)
    }

    @Test func anotherRunUnderTheSameNameReplacesTheFirst() {
        var mesh = Mesh(own, vectorDatabases: ["db"])
        _ = mesh.handle(.found(Self.peer(Self.announcement("7"))), at: 0)
        let actions = mesh.handle(.found(Self.peer(Self.announcement("8"))), at: 1)
        #expect(begun(actions) == [link("8")] && actions.contains(.leave(link("7"))))
        // The old connection has nobody who would open it again.
        _ = mesh.handle(.ended(link("7")), at: 2)
        #expect(mesh.nextTime == nil && mesh.running == [link("8")])
    }

    @Test func aFloodOfNamesHasBounds() {
        var mesh = Mesh(Self.announcement("0"), vectorDatabases: ["db"])
        var random = SeededRandom(1)
        func flood(_ count: Int, at now: Double) -> Int {
            var connects = 0
            for number in 0..<count {
                let id = (0..<32).map { _ in random.element(of: Array("123456789abcdef")) }
                let announcement = PeerAnnouncement(id: String(id), databases: [.init(name: "db", uuid: "")], isInMesh: true)
                connects += mesh.handle(.found(Self.peer(announcement, named: "\(now) \(number)")), at: now).count
            }
            return connects
        }
        #expect(flood(2000, at: 0) == Mesh.mostRunning)
        #expect(mesh.running.count == Mesh.mostRunning && mesh.nextTime == nil)
        // What fails makes room for what has not been tried.
        let first = mesh.running
        var others: Set<Mesh.Link> = []
        for link in first { others.formUnion(begun(mesh.handle(.ended(link), at: 1))) }
        #expect(others.count == Mesh.mostRunning && others.isDisjoint(with: first))
    }

    /// Servers come and go, take each other's names and fail, in an order that a seed says; then all is quiet, and each two are connected once.
    @Test(arguments: 0..<40 as Range<UInt64>) func allFindEachOther(_ tens: UInt64) {
        for seed in tens * 10..<tens * 10 + 10 {
            var random = SeededRandom(seed)
            let servers = (0..<2 + random.below(5)).map { _ in
                MeshModel.Server(
                    databases: random.element(of: [["a"], ["a", "b"], ["b"], ["c", "a"]]), isSecure: random.below(4) == 0,
                    isInMesh: random.below(4) > 0)
            }
            let model = MeshModel(servers, usesVectors: seed % 2 == 0, seed: seed)
            for _ in 0..<300 {
                var leaving = model.step(&random)
                switch random.below(12) {
                case 0:
                    let name = random.below(3) == 0 ? random.element(of: model.names) : nil
                    let number = random.below(servers.count)
                    // A name is one server's at a time.
                    let isFree = name.map { !model.names.contains($0) || model.names[number] == $0 } ?? true
                    leaving += model.restart(number, named: isFree ? name : nil)
                case 1...3: if let pair = model.running.sorted().first { leaving += model.ended(pair) }
                case 4...6: for pair in model.running where random.below(2) == 0 { leaving += model.connected(pair) }
                default: break
                }
                model.finish(leaving)
            }
            model.settle()
            #expect(model.imperfection == nil, "seed \(seed): \(model.imperfection ?? "")")
            #expect(model.complaint == nil, "seed \(seed): \(model.complaint ?? "")")
        }
    }
}
