package org.tutti.romiop;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jacorb.config.Configuration;
import org.jacorb.config.ConfigurationException;
import org.jacorb.orb.ORB;
import org.jacorb.orb.portableInterceptor.ORBInitInfoImpl;
import org.jacorb.poa.AOMListener;
import org.jacorb.poa.POA;
import org.jacorb.poa.POAListener;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORBPackage.InvalidName;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableServer.Servant;

/// Makes a process a member of its group as soon as the objects that the group calls are there. The ORB makes it when a
/// property names it:
///
/// ```
/// org.omg.PortableInterceptor.ORBInitializerClass.tutti=org.tutti.romiop.RomiopInitializer
/// ```
///
/// It attaches the listener itself: the profile of a listener that the ORB knows gets into the references to all
/// objects of this ORB. So `jacorb.transport.server.listeners=0`, IIOP, goes with it, and that is checked. With
/// `jacorb.orb_initializer.fail_on_error=on` a wrong property ends the start; else JacORB only logs it.
public final class RomiopInitializer extends LocalObject implements ORBInitializer {
  private static final long serialVersionUID = 1;

  private static final String PREFIX = "tutti.romiop.";

  /// Of members and of clients, which one process may be at once.
  private static final Set<String> PROPERTIES =
      Set.of(
          "client_listen",
          "cluster",
          "contacts",
          "delivery",
          "delivery_timeout",
          "gateway",
          "gateways",
          "gather",
          "group",
          "group_service",
          "insecure",
          "join_timeout",
          "listen",
          "members",
          "metrics",
          "name",
          "objects",
          "recoverable",
          "references",
          "replies",
          "stack",
          "suspect_after",
          "tls");

  /// For the ORB.
  public RomiopInitializer() {}

  @Override
  public void pre_init(ORBInitInfo info) {}

  @Override
  public void post_init(ORBInitInfo info) {
    ORB orb = ((ORBInitInfoImpl) info).getORB();
    Configuration configuration = orb.getConfiguration();
    try {
      refuseUnknown(configuration);
      if (configuration.getAttribute("tutti.romiop.group", "").isEmpty()) {
        return; // a client
      }
      if (!configuration.getAttribute("jacorb.transport.server.listeners", "").equals("0")) {
        throw new INITIALIZE("a member of a group needs jacorb.transport.server.listeners=0");
      }
      POA root = (POA) orb.resolve_initial_references("RootPOA");
      RomiopListener listener =
          (RomiopListener)
              orb.getTransportManager().getFactories(RomiopProfile.TAG).create_listener(null, 0, (short) 0);
      listener.configure(configuration);
      listener.set_handle(orb.getBasicAdapter());
      Map<String, String> paths = new TreeMap<>();
      for (String key : configuration.getAttribute("tutti.romiop.objects").split(",")) {
        paths.put(configuration.getAttribute("jacorb.orb.objectKeyMap." + key), key);
      }
      new Awaited(configuration.getAttribute("jacorb.implname", ""), paths, listener).watch(root);
    } catch (ConfigurationException | InvalidName e) {
      throw new INITIALIZE("tutti.romiop: " + e.getMessage());
    }
  }

  /// A misspelt property would have its default.
  private static void refuseUnknown(Configuration configuration) throws ConfigurationException {
    for (String each : configuration.getAttributeNamesWithPrefix(PREFIX)) {
      if (!PROPERTIES.contains(each.substring(PREFIX.length()))) {
        throw new ConfigurationException("there is no property " + each);
      }
    }
  }

  /// The objects that are not there yet.
  private static final class Awaited {
    private final String server;
    private final Map<String, String> paths; // with the keys
    private final Map<String, String> types = new TreeMap<>();
    private final RomiopListener listener;

    Awaited(String server, Map<String, String> paths, RomiopListener listener) {
      this.server = server;
      this.paths = paths;
      this.listener = listener;
    }

    void watch(POA adapter) {
      adapter._addPOAEventListener(new Watch(this, adapter));
    }

    void activated(String path, String type) {
      boolean complete;
      synchronized (this) {
        String key = paths.remove(path);
        complete = key != null && paths.isEmpty();
        if (key != null) {
          types.put(key, type);
        }
      }
      if (complete) {
        listener.writeReferences(types);
        listener.listen();
      }
    }
  }

  /// One object adapter.
  private record Watch(Awaited awaited, POA adapter) implements POAListener, AOMListener {
    @Override
    public void poaCreated(POA created) {
      if (created != adapter) {
        awaited.watch(created);
      }
    }

    @Override
    public void objectActivated(byte[] id, Servant servant, int size) {
      String path = adapter._getQualifiedName() + "/" + new String(id, StandardCharsets.ISO_8859_1);
      awaited.activated(awaited.server + "/" + path, servant._all_interfaces(adapter, id)[0]);
    }

    @Override
    public void poaStateChanged(POA changed, int state) {}

    @Override
    public void referenceCreated(org.omg.CORBA.Object reference) {}

    @Override
    public void objectDeactivated(byte[] id, Servant servant, int size) {}

    @Override
    public void servantEtherialized(byte[] id, Servant servant) {}

    @Override
    public void servantIncarnated(byte[] id, Servant servant) {}
  }
}
