package org.tutti.sim;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.tutti.replica.Command;
import org.tutti.sim.check.ServiceHistory.Execution;

/// The change that a [RecordedService] makes, where it is replicated passively.
///
/// @param on        a hash of the state in which it was made
/// @param execution what was executed; at the position of the change, once that is known
/// @param drawn     all that was drawn, in one number
/// @param state     the state behind it
record RecordedChange(int on, Execution execution, long drawn, byte[] state) {
  ByteBuffer encode() {
    Command command = execution.command();
    ByteBuffer asked = command.payload();
    ByteBuffer reply = execution.reply().duplicate();
    int length = 6 * Long.BYTES + 3 * Integer.BYTES + 1 + asked.remaining() + reply.remaining() + state.length;
    return ByteBuffer.allocate(length)
        .putInt(on)
        .putLong(execution.call())
        .putLong(command.session())
        .putLong(command.number())
        .putLong(command.time().getEpochSecond())
        .putLong(command.time().getNano())
        .put((byte) (execution.failed() ? 1 : 0))
        .putInt(asked.remaining())
        .put(asked.duplicate())
        .putInt(reply.remaining())
        .put(reply)
        .putLong(drawn)
        .put(state)
        .flip();
  }

  /// @param position of the change
  /// @param replica  who applies it
  static RecordedChange decode(ByteBuffer in, long position, String replica) {
    int on = in.getInt();
    long call = in.getLong();
    long session = in.getLong();
    long number = in.getLong();
    Instant time = Instant.ofEpochSecond(in.getLong(), in.getLong());
    boolean failed = in.get() != 0;
    ByteBuffer asked = ByteBuffer.wrap(bytes(in, in.getInt())).asReadOnlyBuffer();
    ByteBuffer reply = ByteBuffer.wrap(bytes(in, in.getInt()));
    long drawn = in.getLong();
    var execution = new Execution(call, new Command(session, number, position, time, asked), failed, reply, replica);
    return new RecordedChange(on, execution, drawn, bytes(in, in.remaining()));
  }

  private static byte[] bytes(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
