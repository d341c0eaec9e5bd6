/// Where the library's messages go. A sink that is assigned takes the place of the former one at once; nil switches it off.
public class LogSinks {
    /// Standard error. At the beginning it has warnings and errors of all domains.
    public static var console: ConsoleLogSink? {
        get { LogDispatch.shared.console }
        set {
            LogDispatch.shared.claim(for: .sinks)
            LogDispatch.shared.console = newValue
        }
    }

    /// Files in a directory, one for each level. A sink for the same directory, in the same form, goes on with the files that are open.
    /// Where no files can be made, the other sinks have a warning.
    public static var file: FileLogSink? {
        get { LogDispatch.shared.file }
        set {
            LogDispatch.shared.claim(for: .sinks)
            LogDispatch.shared.file = newValue
        }
    }

    /// The program's own. It is called by whichever thread has something to say, and waited for.
    public static var custom: CustomLogSink? {
        get { LogDispatch.shared.custom }
        set {
            LogDispatch.shared.claim(for: .sinks)
            LogDispatch.shared.custom = newValue
        }
    }
}
