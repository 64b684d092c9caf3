package org.tutti.grpc;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/// The only operation: a stream of batches one way, a greeting the other way.
///
/// ```
///   caller                            /tutti.Frames/Carry                    called
///     |-- open ------------------------------------------------------------>|
///     |<---------------------------------------------- greeting (0 bytes) --|   somebody is there
///     |-- batch, batch, ... as far as flow control allows ------------------>|   asks for one more when it took one
///     |-- end ---------------------------------------------------------------|
///     |<--------------------------------------------------------- status OK |   took all
/// ```
final class Stream {
  static final String SERVICE = "tutti.Frames";
  static final byte[] GREETING = {};

  static final MethodDescriptor<byte[], byte[]> CARRY =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Carry"))
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private Stream() {}

  /// Byte arrays as they are; gRPC has bounded their length.
  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new Sized(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// With the length known in advance gRPC copies once less.
  private static final class Sized extends ByteArrayInputStream implements KnownLength {
    Sized(byte[] value) {
      super(value);
    }
  }
}
