package org.tutti.examples.accounts;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// A client's request, the command of the service. Client and number are for the journal, so that the [Audit] can tell
/// whose it is; that it is executed once is the business of [org.tutti.replica.Client] and its session.
///
/// @param client      who asks; positive and unique to one run of one client
/// @param number      the request's number, from 1
/// @param transaction what to do
public record ClientRequest(long client, long number, Transaction transaction) {
  /// The longest encoded request, in bytes.
  public static final int BYTES_MAX = 2 * Long.BYTES + 256;

  /// Checks the ranges.
  public ClientRequest {
    if (client < 1) {
      throw new IllegalArgumentException("a client's id is positive, not " + client);
    }
    if (number < 1) {
      throw new IllegalArgumentException("requests are numbered from 1, not " + number);
    }
  }

  /// The request as bytes: client, number, then the transaction's line in UTF-8.
  ///
  /// @return the form that [#decode] reads
  public byte[] encode() {
    byte[] line = transaction.toLine().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 * Long.BYTES + line.length).putLong(client).putLong(number).put(line).array();
  }

  /// Reads a request that comes from outside.
  ///
  /// @param bytes from position to limit; consumed
  /// @return the request
  /// @throws IllegalArgumentException says what is wrong with the bytes
  public static ClientRequest decode(ByteBuffer bytes) {
    if (bytes.remaining() < 2 * Long.BYTES || bytes.remaining() > BYTES_MAX) {
      throw new IllegalArgumentException("a request does not have " + bytes.remaining() + " bytes");
    }
    long client = bytes.getLong();
    long number = bytes.getLong();
    try {
      // A decoder of its own, because the usual conversion replaces what is not UTF-8 instead of refusing it.
      String line = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      return new ClientRequest(client, number, Transaction.parse(line));
    } catch (CharacterCodingException _) {
      throw new IllegalArgumentException("a request's text is not UTF-8");
    }
  }
}
