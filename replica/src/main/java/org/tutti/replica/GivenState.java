package org.tutti.replica;

import java.io.FilterInputStream;
import java.io.IOException;
import org.tutti.StateSource;

/// A state that knows whether it was the donor, and not the service, that failed.
final class GivenState extends FilterInputStream {
  boolean broken;

  GivenState(StateSource from) {
    super(from);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    try {
      return super.read(into, offset, length);
    } catch (IOException gone) {
      broken = true;
      throw gone;
    }
  }
}
