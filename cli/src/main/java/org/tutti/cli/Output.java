package org.tutti.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.MemberId;
import org.tutti.Names;
import org.tutti.Service;
import org.tutti.View;
import picocli.CommandLine.Option;

/// Standard output, one line per event, in UTF-8: a text, or with `--json` an object, whose field `event` says what it
/// is. Buffered: whoever writes flushes when there is nothing more to say. Of one thread at a time.
final class Output {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int HEX_BYTES_MAX = 32;

  /// Without any character that a terminal takes for a command, or that changes the order of what is read.
  private static final JSON OBJECTS =
      JSON.builder(JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build()).build();

  private final OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES);

  @Option(names = "--json", description = "Print one JSON object a line instead of text.")
  boolean json;

  /// One line.
  ///
  /// @param text whatever is in it, as much of what is printed was said by others; not printed as JSON
  /// @param event what the object is about
  /// @param fields names and values of its other fields, in turn; null values are left out
  void line(String text, String event, @Nullable Object... fields) {
    try {
      out.write(json ? object(event, fields) : Names.printable(text).getBytes(StandardCharsets.UTF_8));
      out.write('\n');
    } catch (IOException closed) {
      throw cannotWrite(closed);
    }
  }

  /// One more line for people, which is not printed as JSON, as what it says is in the last object already.
  void also(String text) {
    if (!json) {
      line(text, "");
    }
  }

  private static byte[] object(String event, @Nullable Object... fields) throws IOException {
    var object = new LinkedHashMap<String, Object>();
    object.put("event", event);
    for (int i = 0; i < fields.length; i += 2) {
      Object value = fields[i + 1];
      if (value != null) {
        object.put(String.valueOf(fields[i]), value);
      }
    }
    return OBJECTS.asBytes(object);
  }

  void flush() {
    try {
      out.flush();
    } catch (IOException closed) {
      throw cannotWrite(closed);
    }
  }

  private static Failure cannotWrite(IOException closed) {
    return new Failure("cannot write to standard output: " + closed.getMessage(), closed);
  }

  void view(View view) {
    String voters = names(view.members().subList(0, view.voters()));
    String observers = view.observers().isEmpty() ? "" : "observers: " + names(view.observers());
    String between = voters.isEmpty() || observers.isEmpty() ? "" : "; ";
    line(
        "view " + view.id() + (view.primary() ? " primary: " : " non-primary: ") + voters + between + observers,
        "view",
        "id",
        view.id().toString(),
        "primary",
        view.primary(),
        "members",
        view.members().subList(0, view.voters()).stream().map(MemberId::name).toList(),
        "observers",
        view.observers().stream().map(MemberId::name).toList());
  }

  private static String names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(" "));
  }

  void delivery(Event.Delivery delivery) {
    // A message without a position says by which service it came.
    boolean total = delivery.service() == Service.TOTAL;
    String place = total ? position(delivery.position()) : WordConverter.word(delivery.service());
    @Nullable String text = utf8(delivery.payload());
    line(
        place + " " + delivery.sender().name() + ": " + (text != null ? text : json ? "" : hex(delivery.payload())),
        "delivery",
        "service",
        WordConverter.word(delivery.service()),
        "position",
        total && delivery.position() >= 0 ? delivery.position() : null,
        "branch",
        total && delivery.position() < 0 ? true : null,
        "sender",
        delivery.sender().name(),
        "text",
        text,
        "base64",
        text != null || !json ? null : base64(delivery.payload()));
  }

  /// What a process of some host says.
  void said(String event, String host, ByteBuffer payload) {
    @Nullable String text = utf8(payload);
    line(
        host + ": " + (text != null ? text : json ? "" : hex(payload)),
        event,
        "host",
        host,
        "text",
        text,
        "base64",
        text != null || !json ? null : base64(payload));
  }

  private static String position(long position) {
    return position < 0 ? "branch" : Long.toString(position);
  }

  /// The message when it is text.
  private static @Nullable String utf8(ByteBuffer payload) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(payload.duplicate()).toString();
    } catch (CharacterCodingException binary) {
      return null;
    }
  }

  private static String hex(ByteBuffer payload) {
    byte[] first = new byte[Math.min(payload.remaining(), HEX_BYTES_MAX)];
    payload.get(payload.position(), first);
    String more = payload.remaining() > first.length ? "..." : "";
    return payload.remaining() + " bytes 0x" + HexFormat.of().formatHex(first) + more;
  }

  private static String base64(ByteBuffer payload) {
    byte[] all = new byte[payload.remaining()];
    payload.get(payload.position(), all);
    return Base64.getEncoder().encodeToString(all);
  }
}
