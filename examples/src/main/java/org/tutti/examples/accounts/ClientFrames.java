package org.tutti.examples.accounts;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ProtocolException;

/// Frames between clients and replicas: a length in four bytes, then that many bytes.
final class ClientFrames {
  private ClientFrames() {}

  static void write(DataOutputStream out, byte[] frame) throws IOException {
    out.writeInt(frame.length);
    out.write(frame);
  }

  /// Reads one frame; looks at the length before it allocates, because the other side may be hostile.
  static byte[] read(DataInputStream in, int bytesMax) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > bytesMax) {
      throw new ProtocolException("a frame has up to " + bytesMax + " bytes, not " + length);
    }
    byte[] frame = new byte[length];
    in.readFully(frame);
    return frame;
  }
}
