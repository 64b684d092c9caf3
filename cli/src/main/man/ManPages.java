import java.io.File;
import java.io.IOException;
import java.util.Locale;
import org.tutti.cli.Tutti;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/// Writes the manual pages of the command and its subcommands into a directory, in AsciiDoc. The build of the
/// distribution runs it; it is no part of any archive.
final class ManPages {
  public static void main(String[] args) throws IOException {
    Locale.setDefault(Locale.ENGLISH); // picocli sorts options by the letters of the locale
    CommandSpec tutti = Tutti.commandLine().getCommandSpec();
    if (ManPageGenerator.generateManPage(new File(args[0]), null, new boolean[0], false, tutti) != 0) {
      throw new IOException("no manual pages could be written to " + args[0]);
    }
  }
}
