package org.tutti.net.discovery;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;

/// The addresses in a file, one `HOST:PORT` a line; empty lines and what follows a `#` do not count. Names of hosts are
/// looked up.
///
/// The file is read again each time, so that a change is seen within a second. To change it, write a new one and rename
/// it: half a file would be taken for a whole one. A line that is not as it should be makes the whole answer invalid,
/// and what was found before stays in force.
public final class FileDiscovery implements Discovery {
  /// The longest file that is read.
  public static final int BYTES_MAX = 1 << 16;

  private static final int PORT_MAX = 0xffff;

  private final Path file;

  /// Names the file.
  ///
  /// @param file need not exist yet
  public FileDiscovery(Path file) {
    this.file = file;
  }

  @Override
  public List<Address> find() throws IOException {
    var found = new ArrayList<Address>();
    int number = 0;
    for (String line : read().split("\n", -1)) {
      number++;
      String address = line.replaceFirst("#.*", "").strip();
      if (!address.isEmpty()) {
        found.addAll(lookUp(address, number));
      }
    }
    return found;
  }

  private String read() throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new IOException(file + " has more than " + BYTES_MAX + " bytes");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (NoSuchFileException e) {
      throw new IOException("no file " + file, e);
    } catch (AccessDeniedException e) {
      throw new IOException(file + " must not be read", e);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not UTF-8", e);
    }
  }

  private List<Address> lookUp(String text, int line) throws IOException {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon <= 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > PORT_MAX || port.equals("0")) {
      throw new IOException(file + ":" + line + " is not of the form HOST:PORT");
    }
    String host = text.substring(0, colon).replaceFirst("^\\[(.*)]$", "$1");
    try {
      return HostDiscovery.lookUp(host, Integer.parseInt(port));
    } catch (IOException e) {
      throw new IOException(file + ":" + line + ": " + e.getMessage(), e);
    }
  }
}
