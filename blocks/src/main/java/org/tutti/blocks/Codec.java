package org.tutti.blocks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.function.Function;

/// How values of a type are bytes. The same value has to be the same bytes at all clients: of keys, the bytes are what
/// is equal or not.
///
/// ```java
/// Codec<LocalDate> dates = Codec.of(date -> Codec.number().encode(date.toEpochDay()),
///     bytes -> LocalDate.ofEpochDay(Codec.number().decode(bytes)));
/// ```
///
/// @param <T> the type
public interface Codec<T> {
  /// Writes a value.
  ///
  /// @param value the value
  /// @return its bytes, from position to limit; not changed any more
  ByteBuffer encode(T value);

  /// Reads a value.
  ///
  /// @param bytes what [#encode] has written, perhaps elsewhere; read only
  /// @return the value
  T decode(ByteBuffer bytes);

  /// Makes one of two functions.
  ///
  /// @param <T>    the type
  /// @param encode writes a value
  /// @param decode reads it
  /// @return both
  static <T> Codec<T> of(Function<? super T, ByteBuffer> encode, Function<ByteBuffer, ? extends T> decode) {
    return new Codec<>() {
      @Override
      public ByteBuffer encode(T value) {
        return encode.apply(value);
      }

      @Override
      public T decode(ByteBuffer bytes) {
        return decode.apply(bytes);
      }
    };
  }

  /// Text, in UTF-8.
  ///
  /// @return the codec
  static Codec<String> text() {
    return of(UTF_8::encode, bytes -> UTF_8.decode(bytes).toString());
  }

  /// Whole numbers, as eight bytes.
  ///
  /// @return the codec
  static Codec<Long> number() {
    return of(Message::number, ByteBuffer::getLong);
  }

  /// Bytes as they are.
  ///
  /// @return the codec; arrays are copied
  static Codec<byte[]> bytes() {
    return of(
        value -> ByteBuffer.wrap(value.clone()),
        bytes -> {
          byte[] copy = new byte[bytes.remaining()];
          bytes.get(copy);
          return copy;
        });
  }
}
