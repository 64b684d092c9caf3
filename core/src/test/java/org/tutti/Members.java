package org.tutti;

import java.nio.ByteBuffer;
import java.util.List;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.transport.Address;
import org.tutti.wire.Versions;

/// Members, views and batches for tests.
public final class Members {
  /// By seniority.
  public static final MemberId A = member("a", 1);

  public static final MemberId B = member("b", 2);
  public static final MemberId C = member("c", 3);
  public static final MemberId D = member("d", 4);
  public static final MemberId E = member("e", 5);

  private Members() {}

  public static MemberId member(String name, long incarnation) {
    return new MemberId(name, new Address("here:" + name), incarnation);
  }

  /// A primary view of an epoch, proposed by its most senior member.
  public static View primary(long epoch, MemberId... members) {
    return view(epoch, true, members);
  }

  public static View nonPrimary(long epoch, MemberId... members) {
    return view(epoch, false, members);
  }

  private static View view(long epoch, boolean primary, MemberId... members) {
    return new View(
        new ViewId(epoch, members[0].incarnation()),
        List.of(members),
        members.length,
        primary,
        List.of(),
        Versions.OWN.newest());
  }

  /// A batch of one empty message.
  public static Batch batch(MemberId sender, long seq) {
    return new Batch(sender, seq, Batch.Kind.TOTAL, 0, CausalPast.NONE, 1, ByteBuffer.allocate(1));
  }
}
