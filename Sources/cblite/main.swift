import Glibc
import Shell

exit(Shell.run(CommandLine.arguments))
