package org.tutti.romiop;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jacorb.orb.CDROutputStream;
import org.omg.IOP.IOR;
import org.omg.IOP.IORHelper;
import org.omg.IOP.TaggedComponent;
import org.omg.IOP.TaggedComponentSeqHolder;
import org.omg.IOP.TaggedProfile;
import org.omg.IOP.TaggedProfileHolder;

/// A reference to an object of a group for all clients, in the manner of Fault Tolerant CORBA (IOGR):
///
/// ```
/// profile 0x54545550   of Tutti: for clients with the plug-in, which take the first profile that they know
/// profile 0, IIOP 1.2  of each gateway: HOST, PORT, key, and components
///     TAG_FT_GROUP 27             { version 1.0   domain: the cluster   group id   version of the reference }
///     TAG_ALTERNATE_IIOP_ADDRESS 3   each other gateway, as many ORBs look at the first profile only
///     TAG_CODE_SETS 1             { char: ISO 8859-1   wchar: UTF-16 }
/// ```
///
/// There is only one code set each, as the members' ORBs read what all clients send from one connection. The group id
/// is made of the names of cluster and group and of the key.
///
/// @param type     the interface, `IDL:Demo/Counter:1.0`
/// @param group    as clients with the plug-in find it
/// @param key      of the object
/// @param gateways in the order in which clients try them
record GroupReference(String type, RomiopProfile group, String key, List<InetSocketAddress> gateways) {
  private static final int TAG_INTERNET_IOP = 0;
  private static final int TAG_CODE_SETS = 1;
  private static final int TAG_ALTERNATE_IIOP_ADDRESS = 3;
  private static final int TAG_FT_GROUP = 27;
  private static final int ISO_8859_1 = 0x00010001;
  private static final int UTF_16 = 0x00010109;
  private static final int VERSION = 1;

  /// Reads `HOST:PORT`.
  ///
  /// @throws IllegalArgumentException when it is something else
  static InetSocketAddress hostAndPort(String text) {
    int colon = text.lastIndexOf(':');
    int port = 0;
    try {
      port = colon <= 0 ? 0 : Integer.parseInt(text.substring(colon + 1));
    } catch (NumberFormatException _) {
      // As when there is none.
    }
    if (port <= 0 || port > 0xffff) {
      throw new IllegalArgumentException("\"" + text + "\" is no address: HOST:PORT");
    }
    String host = text.substring(0, colon);
    return InetSocketAddress.createUnresolved(host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
  }

  /// Reads several, with commas.
  static List<InetSocketAddress> addresses(String text) {
    List<InetSocketAddress> all = new ArrayList<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(",")) {
      all.add(hostAndPort(each));
    }
    return all;
  }

  /// Writes it to the file of its key, as one line, at once.
  ///
  /// @param directory is made if it is not there
  void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path file = directory.resolve(URLEncoder.encode(key, StandardCharsets.UTF_8) + ".ior");
    Path next = Files.createTempFile(directory, "reference", ".tmp");
    try {
      Files.writeString(next, this + "\n");
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /// The reference as `IOR:` and hexadecimal digits.
  @Override
  public String toString() {
    List<TaggedProfile> profiles = new ArrayList<>(List.of(ofTutti()));
    gateways.forEach(each -> profiles.add(ofGateway(each)));
    CDROutputStream out = new CDROutputStream();
    out.beginEncapsulatedArray();
    IORHelper.write(out, new IOR(type, profiles.toArray(new TaggedProfile[0])));
    return "IOR:" + HexFormat.of().formatHex(out.getBufferCopy());
  }

  private byte[] keyBytes() {
    return key.getBytes(StandardCharsets.ISO_8859_1);
  }

  private TaggedProfile ofTutti() {
    TaggedProfileHolder profile = new TaggedProfileHolder();
    TaggedComponentSeqHolder components = new TaggedComponentSeqHolder(new TaggedComponent[0]);
    RomiopProfile own = (RomiopProfile) group.copy();
    own.set_object_key(keyBytes());
    own.marshal(profile, components);
    return profile.value;
  }

  private TaggedProfile ofGateway(InetSocketAddress gateway) {
    CDROutputStream out = new CDROutputStream();
    out.beginEncapsulatedArray();
    out.write_octet((byte) 1);
    out.write_octet((byte) 2);
    write(out, gateway);
    write(out, keyBytes());
    List<InetSocketAddress> others = gateways.stream().filter(each -> !each.equals(gateway)).toList();
    out.write_long(2 + others.size());
    component(out, TAG_CODE_SETS, GroupReference::writeCodeSets);
    for (InetSocketAddress each : others) {
      component(out, TAG_ALTERNATE_IIOP_ADDRESS, to -> write(to, each));
    }
    component(out, TAG_FT_GROUP, this::writeGroup);
    return new TaggedProfile(TAG_INTERNET_IOP, out.getBufferCopy());
  }

  private static void write(CDROutputStream out, InetSocketAddress address) {
    out.write_string(address.getHostString());
    out.write_ushort((short) address.getPort());
  }

  private static void write(CDROutputStream out, byte[] bytes) {
    out.write_long(bytes.length);
    out.write_octet_array(bytes, 0, bytes.length);
  }

  private static void component(CDROutputStream out, int tag, java.util.function.Consumer<CDROutputStream> content) {
    CDROutputStream inner = new CDROutputStream();
    inner.beginEncapsulatedArray();
    content.accept(inner);
    out.write_long(tag);
    write(out, inner.getBufferCopy());
  }

  private static void writeCodeSets(CDROutputStream out) {
    out.write_long(ISO_8859_1);
    out.write_long(0); // conversions
    out.write_long(UTF_16);
    out.write_long(0);
  }

  private void writeGroup(CDROutputStream out) {
    String name = group.cluster() + "\n" + group.group() + "\n" + key;
    out.write_octet((byte) 1);
    out.write_octet((byte) 0);
    out.write_string(group.cluster());
    out.write_ulonglong(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits());
    out.write_ulong(VERSION);
  }
}
