package org.tutti;

import java.io.IOException;
import java.io.InputStream;

/// Brings the application's state to a newcomer; see [Event.StateOffer].
///
/// Whoever has a part of the state already, from a donor that went away or from an earlier life, says so before it
/// reads, and the donor's application, which gets the same bytes from [StateSink#token], may leave that part out. Tutti
/// passes the token on and does not know what it means; nor does a donor have to heed it, so the state itself should
/// say what it leaves out:
///
/// {@snippet class="ApiExamplesTest" region="state-source"}
///
/// When all was read, the member counts as one that has the state, and its deliveries go on. An application with a
/// durable state, which named a position ([MemberConfig#position()]), makes the state durable first, and says so by
/// [#complete]. If the process ends before, the others give the state again.
///
/// Closing it before that aborts: half a state is no state, so the member leaves the group.
public abstract class StateSource extends InputStream {
  /// The longest token.
  public static final int TOKEN_BYTES_MAX = 64 << 10;

  /// For the engine's use, and for tests of applications.
  protected StateSource() {}

  /// Says what this application has of the state already. It is told to the one donor that gives this state, and to
  /// nobody later. Without it the donor is told nothing, that is an empty token, by the first reading.
  ///
  /// Never blocks; does nothing when the state is void already.
  ///
  /// @param token what the donor's application understands; it is copied
  /// @throws IllegalArgumentException when the token is longer than [#TOKEN_BYTES_MAX]
  /// @throws IllegalStateException    when this was called before, or reading has begun
  public abstract void resume(byte[] token);

  /// Says that the application has all of the state, and would have it after a crash: from now on others may rely on
  /// this member alone to have it. Applications without a durable state need not call it. Waits for the end of the
  /// state, if it has not come yet.
  ///
  /// @throws IOException           when the state is void, as the donor has gone, or when this is closed
  /// @throws IllegalStateException when a part of the state was not read
  public abstract void complete() throws IOException;

  /// Ends reading. Before the application has the state, this aborts: the member leaves, and the donor is told at once.
  /// Never blocks and never throws; does nothing when called again, or when the state is void.
  @Override
  public abstract void close();
}
