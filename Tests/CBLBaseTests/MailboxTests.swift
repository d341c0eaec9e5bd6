import CBLBase
import Testing

@Suite struct MailboxTests {
    @Test func lettersArriveOnceAndInTheirOrder() throws {
        let mailbox = try Mailbox<Int>()
        #expect(mailbox.take(milliseconds: 0).isEmpty)
        let threads = (0..<4).map { part in
            WorkerThread { for number in 0..<500 { mailbox.put(part * 1000 + number) } }
        }
        var taken: [Int] = []
        while taken.count < 2000 { taken += mailbox.take(milliseconds: 1000) }
        for thread in threads { thread.join() }
        for part in 0..<4 { #expect(taken.filter { $0 / 1000 == part } == (0..<500).map { part * 1000 + $0 }) }
        #expect(mailbox.count == 0 && mailbox.take(milliseconds: 0).isEmpty)
    }

    @Test func whoWaitsIsWokenByALetter() throws {
        let mailbox = try Mailbox<String>()
        let thread = WorkerThread { mailbox.put("news") }
        #expect(mailbox.take(milliseconds: 60_000) == ["news"])
        thread.join()
    }
}
