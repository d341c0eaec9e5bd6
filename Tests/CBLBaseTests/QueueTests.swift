import CBLBase
import Testing

struct QueueTests {
    @Test func whatComesFirstLeavesFirst() {
        var queue = Queue<Int>()
        var model: [Int] = []
        for step in 0..<5000 {
            // Waves, so that it is filled, half emptied and emptied.
            if step % 700 < 400 || step % 3 == 0 {
                queue.append(step)
                model.append(step)
            } else {
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.first)
            #expect(queue.isEmpty == model.isEmpty)
        }
        while let next = queue.popFirst() { #expect(next == model.removeFirst()) }
        #expect(model.isEmpty)
    }
}
