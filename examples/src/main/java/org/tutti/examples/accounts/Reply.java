package org.tutti.examples.accounts;

import java.nio.ByteBuffer;

/// The answer to a [ClientRequest], the same from every replica and however often it is asked for.
///
/// @param outcome what became of it
/// @param balance the balance, after the request, of the account that was paid into or that had to pay, in cents
public record Reply(Outcome outcome, long balance) {
  /// The length of an encoded reply, in bytes.
  public static final int BYTES = Long.BYTES + 1;

  /// What can become of a request. The places in this list are stored and sent: add at the end only.
  public enum Outcome {
    /// It was executed.
    ACCEPTED,
    /// It was refused because an account would have been overdrawn.
    OVERDRAWN,
    /// It was refused because a balance would have exceeded [Ledger#BALANCE_MAX].
    TOO_LARGE;

    /// Reads an outcome that was stored or sent.
    ///
    /// @param code its place in the list
    /// @return the outcome
    /// @throws IllegalArgumentException when there is no such outcome
    static Outcome of(int code) {
      Outcome[] all = values();
      if (code < 0 || code >= all.length) {
        throw new IllegalArgumentException("there is no outcome " + code);
      }
      return all[code];
    }
  }

  /// The reply as bytes.
  ///
  /// @return [#BYTES] bytes: outcome, balance
  public ByteBuffer encode() {
    return ByteBuffer.allocate(BYTES).put((byte) outcome.ordinal()).putLong(balance).flip();
  }

  /// Reads a reply.
  ///
  /// @param bytes from position to limit; consumed
  /// @return the reply
  /// @throws IllegalArgumentException says what is wrong with the bytes
  public static Reply decode(ByteBuffer bytes) {
    if (bytes.remaining() != BYTES) {
      throw new IllegalArgumentException("a reply has " + BYTES + " bytes, not " + bytes.remaining());
    }
    return new Reply(Outcome.of(bytes.get()), bytes.getLong());
  }
}
