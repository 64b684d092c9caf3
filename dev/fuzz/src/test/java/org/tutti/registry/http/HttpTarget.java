package org.tutti.registry.http;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;

/// Requests of HTTP, as the registry and health checks take them.
public final class HttpTarget implements FuzzTarget {
  private static final int CONTENT_MAX = 4096;

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(HttpPort.Malformed.class, EOFException.class);
  }

  @Override
  public void take(ByteBuffer input) throws IOException, HttpPort.Malformed {
    var in = new ByteArrayInputStream(FuzzTarget.array(input));
    HttpPort.Request request = HttpPort.Request.read(in, OutputStream.nullOutputStream(), CONTENT_MAX);
    if (request != null && request.body().length > CONTENT_MAX) {
      throw new AssertionError("a content of " + request.body().length + " bytes");
    }
  }
}
