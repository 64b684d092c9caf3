package org.tutti.romiop;

import java.time.Duration;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.omg.ETF.Profile;
import org.tutti.replica.consolidation.Consolidation;

/// A client's connection to a group: the messages of its ORB go to a [GroupCaller], whose replies the ORB reads.
///
/// | property | meaning, and default |
/// | --- | --- |
/// | `tutti.romiop.replies` | how replies are consolidated where the reference does not say it; `majority` |
/// | `tutti.romiop.join_timeout` | how long a first call waits until the client is in the group, in ms; 10000 |
/// | `tutti.romiop.gather` | how long a request waits for others to be ordered with it, in ms, to 1000; 0 |
/// | `tutti.romiop.suspect_after` | after what silence a member is suspected, in ms, from 30; 1000 |
final class ClientConnection extends GroupConnection {
  /// The property that says how replies are consolidated.
  static final String REPLIES = "tutti.romiop.replies";

  private static final String GATHER = "tutti.romiop.gather";
  private static final long GATHER_MILLIS_MAX = 1000;
  private static final long serialVersionUID = 1;

  private transient @Nullable GroupCaller caller;
  private String replies = ReplyRule.DEFAULT;
  private long joinMillis;
  private transient NodeProperties nodes = new NodeProperties(Duration.ZERO); // until it is configured
  private Duration gather = Duration.ZERO;

  /// How long a client waits until it is in the group.
  static Duration joinTimeout(Configuration configuration) throws ConfigurationException {
    long millis = configuration.getAttributeAsLong("tutti.romiop.join_timeout", 10_000);
    if (millis < 0) {
      throw new ConfigurationException("tutti.romiop.join_timeout: 0 ms at least, not " + millis);
    }
    return Duration.ofMillis(millis);
  }

  @Override
  public void configure(Configuration configuration) throws ConfigurationException {
    super.configure(configuration);
    replies = configuration.getAttribute(REPLIES, ReplyRule.DEFAULT);
    joinMillis = joinTimeout(configuration).toMillis();
    nodes = NodeProperties.of(configuration);
    long millis = configuration.getAttributeAsLong(GATHER, 0);
    if (millis < 0 || millis > GATHER_MILLIS_MAX) {
      throw new ConfigurationException(GATHER + ": 0 to " + GATHER_MILLIS_MAX + " ms, not " + millis);
    }
    gather = Duration.ofMillis(millis);
    try {
      ReplyRule.of(replies);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(REPLIES + ": " + e.getMessage());
    }
  }

  @Override
  public void connect(Profile to, long timeout) {
    GroupCaller now = current();
    if (now == null || !now.isOpen()) {
      RomiopProfile group = (RomiopProfile) to;
      Consolidation rule = ReplyRule.of(group.rule().isEmpty() ? replies : group.rule());
      long most = timeout > 0 ? Math.min(timeout, joinMillis) : joinMillis;
      GroupCaller joined = GroupCaller.join(group, rule, new GroupCaller.Times(nodes, Duration.ofMillis(most), gather));
      synchronized (this) {
        profile = group;
        connection_info = group.toString();
        caller = joined;
        connected = true;
      }
    }
  }

  private synchronized @Nullable GroupCaller current() {
    return caller;
  }

  @Override
  byte @Nullable [] next() throws InterruptedException {
    GroupCaller now = current();
    return now == null ? null : now.next();
  }

  @Override
  void send(byte[] whole) {
    GroupCaller now = current();
    if (now == null) {
      throw RomiopFailure.NOT_JOINED.exception("the connection to the group is closed");
    }
    now.send(whole);
  }

  @Override
  public boolean is_connected() {
    GroupCaller now = current();
    return now != null && now.isOpen();
  }

  @Override
  public void close() {
    GroupCaller now = current();
    if (now != null) {
      now.close();
    }
  }
}
