package org.tutti.registry;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A request of HTTP/1.1 (RFC 9112) with a content of known length. What is unusual is refused, not guessed.
///
/// @param method in capitals
/// @param path   of the target, without what follows a question mark; nothing in it is decoded
/// @param body   the content; empty when there is none
/// @param isLast whether the client ends the connection after the answer
record HttpRequest(String method, String path, byte[] body, boolean isLast) {
  private static final int HEAD_BYTES_MAX = 8192;
  private static final int FIELDS_MAX = 64;
  private static final byte[] GO_ON = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /// Reads the next request.
  ///
  /// @param in  gives at most the request
  /// @param out gets the word to go on, for clients that wait for it
  /// @return null when the client has ended the connection before it
  /// @throws Rolls.Refused for what is no request that can be answered; the connection has to end
  static @Nullable HttpRequest read(InputStream in, OutputStream out) throws IOException, GroupRecords.Refused {
    var head = new Head(in);
    String first = head.line();
    if (first == null) {
      return null;
    }
    String[] words = first.split(" ", -1);
    if (words.length != 3 || !words[0].matches("[A-Z]{1,20}") || !words[2].matches("HTTP/1\\.[0-9]")) {
      throw new GroupRecords.Refused(RegistryCount.MALFORMED, "no request of HTTP/1.1");
    }
    Map<String, String> fields = head.fields();
    if (fields.containsKey("transfer-encoding")) {
      throw new GroupRecords.Refused(RegistryCount.NO_LENGTH, "a content needs a length");
    }
    int length = length(fields.getOrDefault("content-length", "0"));
    if (length > 0 && fields.getOrDefault("expect", "").equalsIgnoreCase("100-continue")) {
      out.write(GO_ON);
      out.flush();
    }
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("in the middle of a request");
    }
    String connection = fields.getOrDefault("connection", "").toLowerCase(Locale.ROOT);
    boolean last = connection.contains("close") || words[2].endsWith("0");
    return new HttpRequest(words[0], words[1].split("[?#]", 2)[0], body, last);
  }

  private static int length(String text) throws GroupRecords.Refused {
    if (!text.matches("[0-9]{1,18}")) {
      throw new GroupRecords.Refused(RegistryCount.MALFORMED, "no length: a number is expected");
    }
    long length = Long.parseLong(text);
    if (length > Registry.REQUEST_BYTES_MAX) {
      throw new GroupRecords.Refused(
          RegistryCount.TOO_LONG, "a request has at most " + Registry.REQUEST_BYTES_MAX + " bytes");
    }
    return (int) length;
  }

  /// The lines before the content.
  private static final class Head {
    private final InputStream in;
    private int left = HEAD_BYTES_MAX;

    Head(InputStream in) {
      this.in = in;
    }

    /// The next line; null at the end of the connection, if nothing has come.
    @Nullable String line() throws IOException, GroupRecords.Refused {
      var line = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          if (line.isEmpty()) {
            return null;
          }
          throw new EOFException("in the middle of a line");
        }
        if (--left < 0) {
          throw new GroupRecords.Refused(
              RegistryCount.TOO_LONG, "the lines before a content have at most " + HEAD_BYTES_MAX + " bytes");
        }
        line.append((char) next);
      }
      int end = line.length() - 1;
      return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }

    /// By name, in small letters.
    Map<String, String> fields() throws IOException, GroupRecords.Refused {
      var fields = new HashMap<String, String>();
      for (String line = line(); line == null || !line.isEmpty(); line = line()) {
        if (line == null) {
          throw new EOFException("in the middle of a request");
        }
        int colon = line.indexOf(':');
        String name = line.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
        if (!name.matches("[-!#$%&'*+.^_`|~0-9a-z]+") || fields.size() >= FIELDS_MAX) {
          throw new GroupRecords.Refused(RegistryCount.MALFORMED, "no fields of HTTP/1.1");
        }
        boolean again = fields.put(name, line.substring(colon + 1).strip()) != null;
        if (again && name.equals("content-length")) {
          throw new GroupRecords.Refused(RegistryCount.MALFORMED, "two lengths");
        }
      }
      return fields;
    }
  }
}
