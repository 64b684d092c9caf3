package org.tutti.romiop;

import java.util.Arrays;
import java.util.List;
import org.jacorb.orb.CDRInputStream;
import org.jacorb.orb.CDROutputStream;
import org.jacorb.orb.TaggedComponentList;
import org.jacorb.orb.etf.ProfileBase;
import org.jspecify.annotations.Nullable;
import org.omg.ETF.Profile;
import org.omg.GIOP.Version;
import org.omg.GIOP.VersionHelper;
import org.tutti.Names;
import org.tutti.transport.Address;

/// The profile of a group in a reference: how a client gets into it.
///
/// ```
/// corbaloc:tutti:1.0@CLUSTER!GROUP!HOST:PORT+HOST:PORT!RULE!STACK/KEY
/// profile, tag 0x54545550: { GIOP version 1.2   cluster   group   contacts   RULE or RULE!STACK   key   components }
/// ```
///
/// The rule ([ReplyRule]) and the [Stack] may be left out; the rule may be empty where a stack follows.
///
/// Two profiles are equal when they lead to the same group by the same contacts, rule and stack: the ORB then uses one
/// connection for both, whatever their keys.
public final class RomiopProfile extends ProfileBase {
  /// The tag. Not registered with the OMG.
  static final int TAG = 0x54545550;

  static final String SCHEME = "tutti:";

  private static final String FORM = "tutti:1.0@CLUSTER!GROUP!HOST:PORT+HOST:PORT[!RULE[!STACK]]";
  private static final int PARTS_MIN = 3;
  private static final int PARTS_MAX = 5;
  private static final long serialVersionUID = 1;

  /// The parts of the address, without the key: cluster, group, contacts, and rule, with the stack unless it is the
  /// ordered one.
  private transient List<String> parts = List.of("", "", "", "");

  /// An empty one, for the ORB to read into.
  RomiopProfile() {
    version = new Version((byte) 1, (byte) 2);
    components = new TaggedComponentList();
  }

  /// Reads the address of a corbaloc.
  ///
  /// @throws IllegalArgumentException when it is of another form
  static RomiopProfile of(String corbaloc) {
    int end = corbaloc.indexOf('/');
    String address = end < 0 ? corbaloc : corbaloc.substring(0, end);
    if (!address.startsWith(SCHEME + "1.0@")) {
      throw new IllegalArgumentException(FORM + " is the form, not " + address);
    }
    String[] parts = address.substring(address.indexOf('@') + 1).split("!", -1);
    if (parts.length < PARTS_MIN || parts.length > PARTS_MAX) {
      throw new IllegalArgumentException(FORM + " is the form, not " + address);
    }
    RomiopProfile profile = new RomiopProfile();
    String rule = parts.length > PARTS_MIN ? parts[PARTS_MIN] : "";
    Stack stack = parts.length == PARTS_MAX ? Stack.of(parts[PARTS_MAX - 1]) : Stack.ORDERED;
    profile.parts = List.of(parts[0], parts[1], parts[2], stack == Stack.ORDERED ? rule : rule + "!" + stack.word());
    profile.check();
    return profile;
  }

  /// The address of a group for [#of], without a rule.
  ///
  /// @param contacts with `+` between
  static String address(String cluster, String group, String contacts, Stack stack) {
    String where = SCHEME + "1.0@" + cluster + "!" + group + "!" + contacts;
    return stack == Stack.ORDERED ? where : where + "!!" + stack.word();
  }

  private void check() {
    Names.require("a cluster's", cluster(), Names.fault(cluster()));
    Names.require("a group's", group(), Names.fault(group()));
    String name = stack().groupName(group());
    Names.require("a group's", name, Names.fault(name));
    contacts().forEach(Address::new);
    if (!rule().isEmpty()) {
      ReplyRule.of(rule());
    }
  }

  String cluster() {
    return parts.get(0);
  }

  String group() {
    return parts.get(1);
  }

  List<String> contacts() {
    return List.of(parts.get(2).split("\\+"));
  }

  /// How replies are consolidated, or nothing.
  String rule() {
    String rule = parts.get(3);
    int end = rule.indexOf('!');
    return end < 0 ? rule : rule.substring(0, end);
  }

  Stack stack() {
    String rule = parts.get(3);
    int end = rule.indexOf('!');
    return end < 0 ? Stack.ORDERED : Stack.of(rule.substring(end + 1));
  }

  @Override
  public int tag() {
    return TAG;
  }

  @Override
  public void writeAddressProfile(CDROutputStream out) {
    VersionHelper.write(out, version);
    parts.forEach(out::write_string);
  }

  @Override
  public void readAddressProfile(CDRInputStream in) {
    version = VersionHelper.read(in);
    parts = List.of(in.read_string(), in.read_string(), in.read_string(), in.read_string());
    try {
      check();
    } catch (IllegalArgumentException e) {
      throw RomiopFailure.BROKEN_GIOP.exception("a reference to a group: " + e.getMessage());
    }
  }

  @Override
  public Profile copy() {
    RomiopProfile copy = (RomiopProfile) super.copy();
    copy.objectKey = objectKey == null ? null : Arrays.copyOf(objectKey, objectKey.length);
    return copy;
  }

  @Override
  public int hash() {
    return hashCode();
  }

  @Override
  public boolean is_match(Profile other) {
    return equals(other);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RomiopProfile profile && parts.equals(profile.parts);
  }

  @Override
  public int hashCode() {
    return parts.hashCode();
  }

  @Override
  public String toString() {
    return SCHEME + "1.0@" + String.join("!", parts);
  }
}
