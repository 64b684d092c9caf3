package org.tutti;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A message with a header that says to which trace it belongs: the trace context of W3C. It is for users of tracing,
/// as by OpenTelemetry, who send it as the payload of a multicast, a command or a question, and read it where that
/// arrives. To Tutti it is a payload as any other, and costs nothing where it is not used.
///
/// {@snippet class="ApiExamplesTest" region="traced-message"}
///
/// As bytes: a byte 0 and the message; or, with a context, a byte 1, the 16 bytes of the trace, 8 of the parent and 1
/// of the flags, two for the length of the state, the state in ASCII, and the message. The members of a group agree on
/// it as on the form of all their payloads: either all messages are traced ones, with a context or without, or none.
///
/// Source: W3C Trace Context, level 1. A message that is executed at several members has a span at each of them, all
/// with the same parent.
///
/// @param traceparent `00-`, 32 hexadecimal digits, `-`, 16 of them, `-`, 2 of them, in small letters, neither number
///                    zero; empty for a message without a context
/// @param tracestate  up to [#STATE_BYTES_MAX] visible characters of ASCII and blanks; empty for none, and without a
///                    traceparent
/// @param message     the message itself, from position to limit; not copied
public record TracedMessage(String traceparent, String tracestate, ByteBuffer message) {
  /// The longest state, in bytes: what W3C asks everybody to pass on at least.
  public static final int STATE_BYTES_MAX = 512;

  private static final Pattern TRACEPARENT =
      Pattern.compile("00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})");
  private static final Pattern LATER_VERSION = Pattern.compile("(?!ff|00)[0-9a-f]{2}(-.{52})(-.*)?");
  private static final Pattern TRACESTATE = Pattern.compile("[ -~]{0," + STATE_BYTES_MAX + "}");
  private static final byte WITHOUT = 0;
  private static final byte WITH = 1;
  private static final int CONTEXT_BYTES = 25;

  /// Checks the values.
  ///
  /// @throws IllegalArgumentException when one is not as said above
  public TracedMessage {
    if (!traceparent.isEmpty() && !TRACEPARENT.matcher(traceparent).matches()) {
      throw new IllegalArgumentException("a traceparent is 00-TRACE-PARENT-FLAGS, not \"" + traceparent + '"');
    }
    if (!TRACESTATE.matcher(tracestate).matches()) {
      throw new IllegalArgumentException(
          "a tracestate has up to " + STATE_BYTES_MAX + " characters of ASCII, not \"" + tracestate + '"');
    }
    if (traceparent.isEmpty() && !tracestate.isEmpty()) {
      throw new IllegalArgumentException("no tracestate without a traceparent: \"" + tracestate + '"');
    }
  }

  /// Takes a context from elsewhere, such as from headers of HTTP, as W3C asks for: what is no valid traceparent is no
  /// context, a later version is used as far as it is known, and a tracestate that cannot be passed on is left out.
  ///
  /// @param traceparent any text, or null for none
  /// @param tracestate  any text, or null for none
  /// @param message     the message, from position to limit; not copied
  /// @return with the context, or without one
  public static TracedMessage of(@Nullable String traceparent, @Nullable String tracestate, ByteBuffer message) {
    String parent = traceparent == null ? "" : traceparent;
    Matcher later = LATER_VERSION.matcher(parent);
    if (later.matches()) {
      parent = "00" + later.group(1);
    }
    if (!TRACEPARENT.matcher(parent).matches()) {
      return new TracedMessage("", "", message);
    }
    boolean fits = tracestate != null && TRACESTATE.matcher(tracestate).matches();
    return new TracedMessage(parent, fits ? tracestate : "", message);
  }

  /// Writes it.
  ///
  /// @return a payload of its own; the position of the message stays
  public ByteBuffer encode() {
    Matcher parts = TRACEPARENT.matcher(traceparent);
    if (!parts.matches()) {
      return ByteBuffer.allocate(1 + message.remaining()).put(WITHOUT).put(message.duplicate()).flip();
    }
    byte[] state = tracestate.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out = ByteBuffer.allocate(1 + CONTEXT_BYTES + Short.BYTES + state.length + message.remaining());
    out.put(WITH);
    for (int part = 1; part <= 3; part++) {
      out.put(HexFormat.of().parseHex(parts.group(part)));
    }
    return out.putShort((short) state.length).put(state).put(message.duplicate()).flip();
  }

  /// Reads a payload.
  ///
  /// @param payload from position to limit; its position stays
  /// @return the message is a part of the payload, not copied: it lives as long as that
  /// @throws IllegalArgumentException when the payload is no traced message; the same at every member
  public static TracedMessage decode(ByteBuffer payload) {
    ByteBuffer in = payload.slice();
    byte form = in.hasRemaining() ? in.get() : -1;
    if (form == WITHOUT) {
      return new TracedMessage("", "", in.slice());
    }
    if (form != WITH) {
      throw new IllegalArgumentException("no traced message of " + payload.remaining() + " bytes begins with " + form);
    }
    if (in.remaining() < CONTEXT_BYTES + Short.BYTES) {
      throw new IllegalArgumentException("a trace context does not end after " + in.remaining() + " bytes");
    }
    String parent = "00-" + hex(in, 16) + '-' + hex(in, 8) + '-' + hex(in, 1);
    int length = Short.toUnsignedInt(in.getShort());
    if (length > Math.min(STATE_BYTES_MAX, in.remaining())) {
      throw new IllegalArgumentException("a tracestate of " + length + " bytes, in " + in.remaining());
    }
    byte[] state = new byte[length];
    in.get(state);
    return new TracedMessage(parent, new String(state, StandardCharsets.ISO_8859_1), in.slice());
  }

  private static String hex(ByteBuffer in, int bytes) {
    byte[] part = new byte[bytes];
    in.get(part);
    return HexFormat.of().formatHex(part);
  }
}
