import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Functions of the C library for other processes, in place of its own: they are compiled when a test needs them, and share some memory with it.
/// Their source finds it as `shared`, or null before it is there.
final class PreloadedLibrary {
    static let canBeMade = Program.isInstalled("cc")

    let memory: UnsafeMutableRawPointer
    /// Of a process that is to have it.
    let environment: [String: String]

    private static let size = 4096
    private static let beginning = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <stdarg.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static volatile void *shared;

        __attribute__((constructor)) static void begin(void) {
            int file = open(getenv("CBLITE_TEST_SHARED"), O_RDONLY | O_CLOEXEC);
            void *memory = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
            if (memory != MAP_FAILED) shared = memory;
        }


        """

    init(_ name: String, _ source: String, in directory: String) throws {
        let path = directory + "/" + name
        try Data((Self.beginning + source).utf8).write(to: URL(filePath: path + ".c"))
        let words = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", path + ".so", path + ".c", "-ldl"]
        let compiled = try #require(try Program.run(tool: "cc", words))
        try #require(compiled.exitCode == 0, "\(compiled.errors)")
        try Data(repeating: 0, count: Self.size).write(to: URL(filePath: path))
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        let mapped = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        memory = try #require(mapped == MAP_FAILED ? nil : mapped)
        environment = ["LD_PRELOAD": path + ".so", "CBLITE_TEST_SHARED": path]
    }

    deinit { munmap(memory, Self.size) }
}
