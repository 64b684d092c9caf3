package org.tutti.net.udp;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// By which number each address knows this life: another one for each, so that who has it receives what is sent to that
/// address. It is what a cookie is elsewhere (RFC 9000, 8.1, validates addresses likewise), and needs no room in
/// datagrams: everything that an address says carries it, as the receiver's life.
///
/// Multicasts have one sender's life for all; where there are any, all addresses know the same number, and only a
/// [UdpKey] keeps others from speaking.
final class LocalIncarnations {
  private static final String HASH = "HmacSHA256";
  private static final int SECRET_BYTES = 32;

  /// What multicasts and seals call this life.
  final long common;

  private final boolean apart;
  private final Mac mac;

  /// @param apart whether each address knows another number
  LocalIncarnations(boolean apart) {
    var random = new SecureRandom();
    var secret = new byte[SECRET_BYTES];
    random.nextBytes(secret);
    this.common = random.nextLong() | 1;
    this.apart = apart;
    try {
      mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(secret, HASH));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /// This life as an address knows it; never 0.
  long known(InetSocketAddress at) {
    if (!apart) {
      return common;
    }
    mac.update(at.getAddress().getAddress());
    byte[] code = mac.doFinal(new byte[] {(byte) (at.getPort() >>> Byte.SIZE), (byte) at.getPort()});
    return ByteBuffer.wrap(code).getLong() | 1;
  }
}
