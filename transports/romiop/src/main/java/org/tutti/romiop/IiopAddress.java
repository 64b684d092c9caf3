package org.tutti.romiop;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;
import org.tutti.romiop.Giop.BrokenGiopException;

/// Where an object is called over IIOP: what a profile of IIOP in its reference says, mostly the first one.
///
/// @param at  host and port, not looked up
/// @param key of the object, as characters of one byte each
record IiopAddress(InetSocketAddress at, String key) {
  private static final String PREFIX = "IOR:";
  private static final int TAG_INTERNET_IOP = 0;
  private static final int TYPE_MAX = 1024;
  private static final int BYTES_MAX = 64 << 10;
  private static final int HOST_MAX = 255;

  /// Reads a reference, `IOR:` and hexadecimal digits.
  ///
  /// @throws BrokenGiopException when it is something else, or does not lead to IIOP
  static IiopAddress of(String reference) throws BrokenGiopException {
    return all(reference).getFirst();
  }

  /// The same with all profiles of IIOP that the reference has: at least one.
  static List<IiopAddress> all(String reference) throws BrokenGiopException {
    Giop.require(reference.startsWith(PREFIX), "no reference: IOR:...");
    byte[] bytes;
    try {
      bytes = HexFormat.of().parseHex(reference.substring(PREFIX.length()));
    } catch (IllegalArgumentException _) {
      throw new BrokenGiopException("no reference: IOR: is followed by hexadecimal digits");
    }
    IOR ior = CdrIn.encapsulated(bytes).reference(TYPE_MAX, BYTES_MAX);
    List<IiopAddress> all = new ArrayList<>();
    for (TaggedProfile each : ior.profiles) {
      if (each.tag == TAG_INTERNET_IOP) {
        all.add(ofProfile(CdrIn.encapsulated(each.profile_data)));
      }
    }
    Giop.require(!all.isEmpty(), "a reference without a profile of IIOP");
    return all;
  }

  private static IiopAddress ofProfile(CdrIn in) throws BrokenGiopException {
    Giop.require(in.octet() == 1, "a profile of another version than 1");
    in.octet();
    String host = in.string(HOST_MAX);
    int port = in.ushort();
    byte[] key = in.octets(BYTES_MAX);
    return new IiopAddress(
        InetSocketAddress.createUnresolved(host, port), new String(key, java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  @Override
  public String toString() {
    return at.getHostString() + ":" + at.getPort();
  }
}
