package org.tutti.examples.spring;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The service: who has which seat. Replies and answers are the name of who has the seat then, empty when nobody has.
final class Seats implements StateMachine {
  private final TreeMap<Integer, String> holders = new TreeMap<>(); // of seats that are taken

  @Override
  public ByteBuffer apply(Command command) {
    SeatRequest request = SeatRequest.decode(command.payload());
    switch (request.kind()) {
      case TAKE -> holders.putIfAbsent(request.seat(), request.holder());
      case RELEASE -> holders.remove(request.seat(), request.holder());
    }
    return holder(request.seat());
  }

  @Override
  public ByteBuffer query(ByteBuffer request) {
    if (request.remaining() != 4) {
      throw new IllegalArgumentException("a question is the number of a seat");
    }
    return holder(SeatRequest.requireSeat(request.getInt()));
  }

  private ByteBuffer holder(int seat) {
    return StandardCharsets.UTF_8.encode(holders.getOrDefault(seat, ""));
  }

  @Override
  public Snapshot snapshot() {
    var picture = new TreeMap<>(holders);
    return out -> {
      var data = new DataOutputStream(out);
      data.writeInt(picture.size());
      for (var entry : picture.entrySet()) {
        data.writeInt(entry.getKey());
        data.writeUTF(entry.getValue());
      }
      data.flush();
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    var data = new DataInputStream(in);
    holders.clear();
    for (int left = data.readInt(); left > 0; left--) {
      holders.put(data.readInt(), data.readUTF());
    }
  }

  @Override
  public OptionalLong digest() {
    return OptionalLong.of(holders.hashCode());
  }
}
