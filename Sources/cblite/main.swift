import CBLShell
import Glibc

exit(Shell.run(CommandLine.arguments))
