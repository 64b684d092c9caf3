package org.tutti.corba;

import java.time.Duration;
import java.util.Properties;
import org.tutti.corba.gate.Gate;
import org.tutti.transport.Endpoint;

/// What JacORB is told, all of it: what it finds in files, on the class path or in system properties counts less than
/// what it is given when it is made.
final class OrbSettings {
  /// How many requests wait for the servant, with the threads that read further ones waiting behind them.
  private static final int QUEUE_MAX = 8;

  private OrbSettings() {}

  /// The properties of one node's ORB.
  ///
  /// @param gate      whose sockets it is to use; its name is also what tells this ORB's objects from those of others
  /// @param objectKey the key under which peers know the servant
  /// @param path      where the servant is: object adapter and object id
  static Properties of(Gate gate, Endpoint listen, IiopConfig config, String objectKey, String path) {
    Properties all = of(gate, config);
    all.setProperty("OAIAddr", listen.inet().getHostAddress());
    all.setProperty("OAPort", Integer.toString(listen.port()));
    all.setProperty("jacorb.orb.objectKeyMap." + objectKey, gate.name() + "/" + path);
    return all;
  }

  /// The properties of an ORB that only calls others.
  static Properties of(Gate gate, IiopConfig config) {
    Properties all = new Properties();
    all.setProperty("jacorb.net.socket_factory", Gate.DIALLING);
    all.setProperty("jacorb.net.server_socket_factory", Gate.LISTENING);
    all.setProperty("jacorb.transport.factories", "org.jacorb.orb.iiop.IIOPFactories");
    all.setProperty("jacorb.security.support_ssl", "off");
    all.setProperty("jacorb.connection.nonblocking", "off");
    // Between ORBs of one process JacORB would leave the sockets out.
    all.setProperty("jacorb.iiop.enable_loopback", "off");

    // A reference is taken for one to an object of this ORB when its key begins with this name, whatever its host and
    // port: so every ORB has another name, and peers use a short key, which is mapped to the long one where it arrives.
    all.setProperty("jacorb.implname", gate.name());

    // Without it, one-way requests that find the queue full are dropped and nobody is told.
    all.setProperty("jacorb.poa.queue_wait", "on");
    all.setProperty("jacorb.poa.queue_max", Integer.toString(QUEUE_MAX));
    all.setProperty("jacorb.poa.queue_min", Integer.toString(QUEUE_MAX / 2));
    // The gate bounds the connections; those that it has closed keep their threads for a moment.
    all.setProperty("jacorb.connection.server.max_receptor_threads", Integer.toString(4 * config.acceptedMax()));

    // One attempt: whoever dials knows best when to try again.
    all.setProperty("jacorb.retries", "0");
    all.setProperty("jacorb.maxBuiltinRetries", "0");
    all.setProperty("jacorb.connection.client.connect_timeout", millis(config.connectTimeout()));
    all.setProperty("jacorb.connection.client.pending_reply_timeout", millis(config.replyTimeout()));
    all.setProperty("jacorb.connection.request.write_timeout", millis(config.writeTimeout()));
    // A peer reads its small replies at once; a stranger that does not must not hold the only thread of the servant.
    all.setProperty("jacorb.connection.reply.write_timeout", millis(Duration.ofSeconds(1)));
    all.setProperty("jacorb.default_sync_scope", "TRANSPORT");

    all.setProperty("jacorb.giop_minor_version", "2");
    all.setProperty("jacorb.dns.enable", "off");
    all.setProperty("jacorb.orb.print_version", "off");
    all.setProperty("jacorb.use_imr", "off");
    all.setProperty("jacorb.use_tao_imr", "off");
    return all;
  }

  private static String millis(Duration time) {
    return Long.toString(time.toMillis());
  }
}
