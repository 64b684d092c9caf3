import Demo.Counter;
import Demo.CounterHelper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.omg.CORBA.BAD_PARAM;
import org.omg.CORBA.LocalObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName;
import org.omg.PortableInterceptor.ORBInitializer;

/**
 * A client that keeps its reference for long, and says with each request which version it has: gateways give it the
 * newest one then. The first line of its input is the reference; each other line is a number, which it adds.
 */
public final class VersionedClient {
  private VersionedClient() {}

  public static void main(String[] args) throws Exception {
    System.setProperty("org.omg.PortableInterceptor.ORBInitializerClass.version", Version.class.getName());
    ORB orb = ORB.init(args, null);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    Counter counter = CounterHelper.unchecked_narrow(orb.string_to_object(lines.readLine()));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        System.out.println("sum " + counter.add(Integer.parseInt(line)));
      } catch (SystemException e) {
        System.out.println(e.getClass().getSimpleName() + " " + (e.minor & 0xfff));
      }
    }
    orb.destroy();
  }

  /** Adds FT_GROUP_VERSION to the requests of an ORB whose properties name it. */
  public static final class Version extends LocalObject implements ORBInitializer, ClientRequestInterceptor {
    private static final int TAG_FT_GROUP = 27;
    private static final int FT_GROUP_VERSION = 12;

    @Override
    public void send_request(ClientRequestInfo info) {
      byte[] group;
      try {
        group = info.get_effective_component(TAG_FT_GROUP).component_data;
      } catch (BAD_PARAM none) {
        return; // no reference to a group
      }
      // It begins with its byte order and ends by the version, which is all that the context has.
      byte[] version = new byte[8];
      version[0] = group[0];
      System.arraycopy(group, group.length - 4, version, 4, 4);
      info.add_request_service_context(new ServiceContext(FT_GROUP_VERSION, version), true);
    }

    @Override
    public void pre_init(ORBInitInfo info) {
      try {
        info.add_client_request_interceptor(this);
      } catch (DuplicateName e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void post_init(ORBInitInfo info) {}

    @Override
    public String name() {
      return "version";
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {}

    @Override
    public void receive_exception(ClientRequestInfo info) {}

    @Override
    public void receive_other(ClientRequestInfo info) {}

    @Override
    public void destroy() {}
  }
}
