import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLListener
@testable import CBLTransport

/// Those who guess passwords, and those whose passwords are guessed.
@Suite(.timeLimit(.minutes(10))) struct HostileGuessTests {
    private let start = LoopTime(nanoseconds: 1_000_000_000_000)
    private func time(_ seconds: Int) -> LoopTime { start + .seconds(seconds) }
    private func guess(_ number: Int, user: String = "ada") -> Credentials { Credentials(user: user, password: "guess \(number)") }

    @Test func guessesAreFewInALongTime() {
        var attempts = Attempts()
        var looked = 0
        // Ten a second, for an hour.
        for number in 0..<36_000 {
            let now = start + .milliseconds(100 * number)
            guard !attempts.mustWait("ada", from: "192.0.2.1", at: now) else { continue }
            looked += 1
            attempts.failed(guess(number), from: "192.0.2.1", at: now)
        }
        #expect(looked <= Attempts.most + 3600 / 3 && looked > 1000)
    }

    @Test func nobodyIsLockedOut() {
        var attempts = Attempts()
        for number in 0..<Attempts.most { attempts.failed(guess(number), from: "192.0.2.1", at: time(0)) }
        #expect(attempts.mustWait("ada", from: "192.0.2.1", at: time(0)))
        #expect(!attempts.mustWait("bob", from: "192.0.2.1", at: time(0)))
        #expect(!attempts.mustWait("ada", from: "192.0.2.2", at: time(0)))
        #expect(!attempts.mustWait("ada", from: "192.0.2.1", at: time(3)))
        attempts.failed(guess(100), from: "192.0.2.1", at: time(3))
        #expect(attempts.mustWait("ada", from: "192.0.2.1", at: time(3)))
        #expect(!attempts.mustWait("ada", from: "192.0.2.1", at: time(6)))
        // After a minute it is as if nothing had been.
        for number in 0..<Attempts.most {
            #expect(!attempts.mustWait("ada", from: "192.0.2.1", at: time(70)))
            attempts.failed(guess(number), from: "192.0.2.1", at: time(70))
        }
    }

    /// A phone that has the password of yesterday, and goes on trying.
    @Test func theSameWrongPasswordIsOneGuess() {
        var attempts = Attempts()
        for second in 0..<1000 {
            attempts.failed(guess(0), from: "192.0.2.1", at: time(second / 100))
            #expect(!attempts.mustWait("ada", from: "192.0.2.1", at: time(second / 100)))
        }
    }

    @Test func addressesOfOneNetworkAreOne() {
        var attempts = Attempts()
        for number in 0..<Attempts.most { attempts.failed(guess(number), from: "2001:db8::\(number + 1)", at: time(0)) }
        #expect(attempts.mustWait("ada", from: "2001:db8::ffff", at: time(0)))
        #expect(!attempts.mustWait("ada", from: "2001:db8:0:1::1", at: time(0)))
    }

    /// Each of many: a comparison that goes wrong now and then lets in whoever tries often enough.
    @Test func noWrongPasswordIsEverRight() {
        var users = UserList()
        for number in 0..<20 { users.set("user \(number)", password: "right \(number)") }
        for number in 0..<20_000 {
            let name = "user \(number % 20)"
            let isAdmitted = users.admits(Credentials(user: name, password: "wrong \(number)"))
            #expect(!isAdmitted)
        }
        #expect(users.admits(Credentials(user: "user 7", password: "right 7")))
    }

    @Test func noOtherCredentialsMatch() {
        for right in 0..<20 {
            let known = Credentials(user: "ada", password: "right \(right)")
            for number in 0..<1000 {
                let isSame = known.matches(Credentials(user: "ada", password: "wrong \(number)"))
                #expect(!isSame)
            }
            #expect(known.matches(known))
        }
    }

    /// Made up names do not have what was guessed for a real one forgotten.
    @Test func namesThatAreMadeUpDoNotHelp() {
        var attempts = Attempts()
        for number in 0..<Attempts.most { attempts.failed(guess(number), from: "192.0.2.1", at: time(0)) }
        for number in 0..<30_000 { attempts.failed(guess(number, user: "nobody \(number)"), from: "192.0.2.1", at: time(0)) }
        #expect(attempts.mustWait("ada", from: "192.0.2.1", at: time(0)))
    }

    /// What is answered does not tell whether there is such a user, nor whether a guess was right that came too soon.
    @Test func answersTellNothing() async throws {
        let databases = try Databases()
        let database = try databases.create("m")
        var users = UserList()
        users.set("ada", password: "right")
        let known = users
        let clock = ManualClock()
        let listener = try TestListener(database, on: EventLoop(clock: .manual(clock))) { $0.users = known }
        func answer(_ user: String, _ password: String) throws -> String {
            try PlainClient.get("/", port: listener.listener.port, headers: PlainClient.authorization(user, password))
        }
        for number in 0..<Attempts.most {
            let (known, unknown) = (try answer("ada", "x\(number)"), try answer("nobody", "x\(number)"))
            #expect(known == unknown && known.hasPrefix("HTTP/1.1 401 "), "\(number): \(known) \(unknown)")
        }
        let answers = Set([try answer("ada", "right"), try answer("ada", "wrong"), try answer("nobody", "x")])
        #expect(
            answers.count == 1 && answers.first?.hasPrefix("HTTP/1.1 429 ") == true && answers.first?.contains("Retry-After: 3") == true,
            "\(answers)")
        // The right one has to wait no longer than for one guess.
        clock.advance(by: .seconds(3))
        #expect(try answer("ada", "right").hasPrefix("HTTP/1.1 200 "))
        #expect(try answer("ada", "right").hasPrefix("HTTP/1.1 200 "))
    }
}
