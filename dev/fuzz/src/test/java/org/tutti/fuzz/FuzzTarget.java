package org.tutti.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.BiConsumer;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// A family of decoders: of bytes that anybody may have sent, or that a disk may have changed. It stands in the package
/// of the decoders, and a [Trial] gives it one input after another.
public interface FuzzTarget {
  /// Decodes an input, and compares with it what the decoded value encodes to.
  ///
  /// @param input at position 0; the first byte may say which of several decoders is meant ([#choice])
  /// @throws Exception one of [#refusals], when the bytes are not what the format says
  void take(ByteBuffer input) throws Exception;

  /// What the decoders throw when they refuse an input. Anything else is a bug.
  ///
  /// @return these classes, not those that extend them
  default Set<Class<? extends Exception>> refusals() {
    return Set.of(Malformed.class);
  }

  /// How much may be allocated for an input: no claim in it may cost more than so much for each of its bytes.
  ///
  /// @param length of the input
  /// @return a number of bytes
  default long allocationMax(int length) {
    return (256 << 10) + 512L * length;
  }

  /// Which of several decoders an input is for.
  ///
  /// @param input begins with a byte that says it; none is for the first
  /// @param many  how many there are
  /// @return 0 to below many
  static int choice(ByteBuffer input, int many) {
    return input.hasRemaining() ? Byte.toUnsignedInt(input.get()) % many : 0;
  }

  /// Decodes a message; what it encodes to must be decoded to the same, and be no longer than the input. (It need not
  /// be the input: counts may have leading zeros.)
  ///
  /// @param <M>   the messages
  /// @param codec of one protocol
  /// @param input one message
  /// @throws Malformed when it is none
  static <M> void again(Codec<M> codec, ByteBuffer input) throws Malformed {
    again(
        codec::readAll,
        (message, out) -> {
          codec.write(message, out);
          out.raw(codec.tail(message));
        },
        input);
  }

  /// The same for what has no [Codec].
  ///
  /// @param <M>   the values
  /// @param read  decodes one
  /// @param write encodes one
  /// @param input one value
  /// @throws Malformed when it is none
  static <M> void again(WireReader.Taking<M> read, BiConsumer<M, WireWriter> write, ByteBuffer input) throws Malformed {
    int length = input.remaining();
    ByteBuffer first = bytes(write, whole(read, input));
    same(first, bytes(write, whole(read, first.duplicate())));
    if (first.remaining() > length) {
      throw new AssertionError("longer than what was decoded: " + hex(first));
    }
  }

  private static <M> M whole(WireReader.Taking<M> read, ByteBuffer input) throws Malformed {
    var in = new WireReader(input);
    M value = read.from(in);
    in.end();
    return value;
  }

  private static <M> ByteBuffer bytes(BiConsumer<M, WireWriter> write, M value) {
    var out = new WireWriter();
    write.accept(value, out);
    return out.copy();
  }

  /// Requires that bytes are equal.
  ///
  /// @param expected these
  /// @param found    and those
  static void same(ByteBuffer expected, ByteBuffer found) {
    if (!expected.equals(found)) {
      throw new AssertionError("decoded of " + hex(expected) + ", but encodes to " + hex(found));
    }
  }

  private static String hex(ByteBuffer bytes) {
    return HexFormat.of().formatHex(Arrays.copyOf(array(bytes), Math.min(bytes.remaining(), 1 << 10)));
  }

  /// Copies what is left of a buffer.
  ///
  /// @param bytes stays where it is
  /// @return a new array
  static byte[] array(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(bytes.position(), copy);
    return copy;
  }
}
