package org.tutti.romiop;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.tutti.fuzz.FuzzTarget;

/// Messages in groups of CORBA objects, their states, and references to them.
public final class ObjectsTarget implements FuzzTarget {
  private static final UUID CLIENT = new UUID(0, 0);

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(
        Giop.BrokenGiopException.class,
        ObjectStates.OtherObjectsException.class,
        EOFException.class,
        UTFDataFormatException.class,
        IllegalArgumentException.class);
  }

  @Override
  public long allocationMax(int length) {
    return (256 << 10) + 2048L * length; // a reference of many contacts, each of a byte, is taken apart by expressions
  }

  @Override
  public void take(ByteBuffer input) throws IOException, Giop.BrokenGiopException {
    switch (FuzzTarget.choice(input, 4)) {
      case 0 -> message(Giop.of(FuzzTarget.array(input)));
      case 1 -> multicast(input);
      case 2 -> {
        var out = new ByteArrayOutputStream();
        var in = new ByteArrayInputStream(FuzzTarget.array(input));
        ObjectStates.read(in, List.of("a", "b")).write(out);
        FuzzTarget.same(input, ByteBuffer.wrap(out.toByteArray()));
      }
      default -> {
        String text = new String(FuzzTarget.array(input), StandardCharsets.ISO_8859_1);
        RomiopProfile profile = RomiopProfile.of(text);
        if (!RomiopProfile.of(profile.toString()).equals(profile)) {
          throw new AssertionError(profile + " is not read again");
        }
      }
    }
  }

  private static void message(Giop giop) throws Giop.BrokenGiopException {
    if (!Giop.of(giop.bytes()).equals(giop)) {
      throw new AssertionError("not equal to itself");
    }
    switch (giop.type()) {
      case Giop.REQUEST -> {
        giop.key();
        giop.answered(giop.requestId() + 1).withRequestId(giop.requestId());
      }
      case Giop.REPLY -> {
        if (giop.isFinal() && giop.isResult()) {
          giop.octets();
        }
      }
      default -> giop.hashCode();
    }
  }

  private static void multicast(ByteBuffer input) throws Giop.BrokenGiopException {
    for (UUID client : new UUID[] {null, CLIENT}) {
      GroupMessage read = GroupMessage.read(input.slice(), client);
      if (read != null) {
        FuzzTarget.same(input, ByteBuffer.wrap(read.encoded()));
      }
    }
  }
}
