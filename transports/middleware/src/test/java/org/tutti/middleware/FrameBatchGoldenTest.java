package org.tutti.middleware;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;

/// The bytes of calls of Java RMI, gRPC and IIOP.
class FrameBatchGoldenTest {
  private static final Address FROM = new Address("b\u00e9:65535");
  private static final Address TO = new Address("here:1");

  private static byte[] batch(String... frames) {
    var out = new ByteArrayOutputStream();
    out.writeBytes(FrameBatch.header(FROM, TO));
    for (String frame : frames) {
      out.writeBytes(ByteBuffer.allocate(FrameBatch.PREFIX_BYTES).putInt(frame.length()).array());
      out.writeBytes(frame.getBytes(US_ASCII));
    }
    return out.toByteArray();
  }

  private record Batch(String header, List<String> frames) {}

  private static Batch read(byte[] bytes) {
    var counts = new Counts<>(MiddlewareCount.class);
    FrameBatch batch = FrameBatch.check(bytes, FrameBatch.utf8(TO), 100, counts);
    var frames = new ArrayList<String>();
    for (ByteBuffer in = ByteBuffer.wrap(bytes).position(batch.start()); in.hasRemaining(); ) {
      byte[] frame = new byte[in.getInt()];
      in.get(frame);
      frames.add(new String(frame, US_ASCII));
    }
    return new Batch(new String(bytes, 7, batch.start() - 7, UTF_8), frames);
  }

  @Test
  void batches() {
    new Golden("middleware", "frame-batch", "a batch of frames, from bé:65535 to here:1: `FrameBatch`")
        .written("a header alone", batch(), FrameBatchGoldenTest::read)
        .written("two frames", batch("one", "three"), FrameBatchGoldenTest::read)
        .check();
  }
}
