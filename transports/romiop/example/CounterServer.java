import Demo.CounterPOA;
import java.nio.ByteBuffer;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** An ordinary CORBA server with one object. */
public final class CounterServer extends CounterPOA {
  private int sum;
  private int calls;
  private int history = 17;

  @Override
  public synchronized int add(int amount) {
    sum += amount;
    happened("add " + amount);
    return sum;
  }

  @Override
  public synchronized void note(String text) {
    happened("note " + text);
  }

  private void happened(String what) {
    calls++;
    history = 31 * history + what.hashCode();
  }

  @Override
  public synchronized String history() {
    return calls + " calls, " + Integer.toHexString(history);
  }

  @Override
  public synchronized byte[] get_state() {
    return ByteBuffer.allocate(12).putInt(sum).putInt(calls).putInt(history).array();
  }

  @Override
  public synchronized void set_state(byte[] state) {
    ByteBuffer from = ByteBuffer.wrap(state);
    sum = from.getInt();
    calls = from.getInt();
    history = from.getInt();
  }

  @Override
  public int process() {
    return (int) ProcessHandle.current().pid();
  }

  public static void main(String[] args) throws Exception {
    ORB orb = ORB.init(args, null);
    POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    Policy[] policies = {
      root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
      root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
    };
    POA counters = root.create_POA("counters", root.the_POAManager(), policies);
    CounterServer servant = new CounterServer();
    counters.activate_object_with_id("main".getBytes("US-ASCII"), servant);
    root.the_POAManager().activate();
    System.out.println(orb.object_to_string(counters.servant_to_reference(servant)));
    orb.run();
  }
}
