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
import org.jspecify.annotations.Nullable;
import org.omg.IOP.IOR;
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
/// There is only one code set each, as the members' ORBs read what all clients send from one connection.
///
/// @param type     the interface, `IDL:Demo/Counter:1.0`
/// @param id       which object it is
/// @param version  of the reference: a later one has a greater number
/// @param group    as clients with the plug-in find it; null when it is for others only
/// @param gateways in the order in which clients try them
record GroupReference(
    String type, Id id, int version, @Nullable RomiopProfile group, List<InetSocketAddress> gateways) {
  private static final int TAG_INTERNET_IOP = 0;
  private static final int TAG_CODE_SETS = 1;
  private static final int TAG_ALTERNATE_IIOP_ADDRESS = 3;
  private static final int TAG_FT_GROUP = 27;
  private static final int ISO_8859_1 = 0x00010001;
  private static final int UTF_16 = 0x00010109;

  /// An object in a group.
  ///
  /// @param cluster the domain of FT CORBA
  /// @param group   the group's name
  /// @param key     of the object
  record Id(String cluster, String group, String key) {
    /// The number of FT CORBA, made of the names.
    long number() {
      String name = cluster + "\n" + group + "\n" + key;
      return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }
  }

  /// A reference to an object of a group whose members do not change.
  GroupReference(String type, RomiopProfile group, String key, List<InetSocketAddress> gateways) {
    this(type, new Id(group.cluster(), group.group(), key), 1, group, gateways);
  }

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
    String host = colon <= 0 ? "" : text.substring(0, colon);
    boolean isOpen = host.startsWith("[") && (host.length() == 1 || !host.endsWith("]"));
    if (port <= 0 || port > 0xffff || isOpen) {
      throw new IllegalArgumentException("\"" + text + "\" is no address: HOST:PORT");
    }
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
    Path file = directory.resolve(URLEncoder.encode(id.key(), StandardCharsets.UTF_8) + ".ior");
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
    return "IOR:" + HexFormat.of().formatHex(encapsulation().reference(ior()).bytes());
  }

  /// The reference as a value.
  IOR ior() {
    List<TaggedProfile> profiles = new ArrayList<>();
    if (group != null) {
      profiles.add(ofTutti(group));
    }
    gateways.forEach(each -> profiles.add(ofGateway(each)));
    return new IOR(type, profiles.toArray(new TaggedProfile[0]));
  }

  private byte[] keyBytes() {
    return id.key().getBytes(StandardCharsets.ISO_8859_1);
  }

  private TaggedProfile ofTutti(RomiopProfile found) {
    TaggedProfileHolder profile = new TaggedProfileHolder();
    TaggedComponentSeqHolder components = new TaggedComponentSeqHolder(new TaggedComponent[0]);
    RomiopProfile own = (RomiopProfile) found.copy();
    own.set_object_key(keyBytes());
    own.marshal(profile, components);
    return profile.value;
  }

  private TaggedProfile ofGateway(InetSocketAddress gateway) {
    CdrOut out = encapsulation().octet(1).octet(2);
    write(out, gateway).octets(keyBytes());
    List<InetSocketAddress> others = gateways.stream().filter(each -> !each.equals(gateway)).toList();
    out.ulong(2 + others.size());
    CdrOut codeSets = encapsulation().ulong(ISO_8859_1).ulong(0).ulong(UTF_16).ulong(0); // 0 conversions
    out.ulong(TAG_CODE_SETS).octets(codeSets.bytes());
    for (InetSocketAddress each : others) {
      out.ulong(TAG_ALTERNATE_IIOP_ADDRESS).octets(write(encapsulation(), each).bytes());
    }
    CdrOut group = encapsulation().octet(1).octet(0).string(id.cluster()).ulonglong(id.number()).ulong(version);
    out.ulong(TAG_FT_GROUP).octets(group.bytes());
    return new TaggedProfile(TAG_INTERNET_IOP, out.bytes());
  }

  /// Values that stand for themselves, with their byte order before them.
  private static CdrOut encapsulation() {
    return new CdrOut().octet(0);
  }

  private static CdrOut write(CdrOut out, InetSocketAddress address) {
    return out.string(address.getHostString()).ushort(address.getPort());
  }
}
