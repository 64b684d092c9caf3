import Demo.Counter;
import Demo.CounterHelper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;

/** An ordinary CORBA client: calls what each line of its input says, on the reference that the line begins with. */
public final class CounterClient {
  private CounterClient() {}

  public static void main(String[] args) throws Exception {
    ORB orb = ORB.init(args, null);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      try {
        System.out.println(call(CounterHelper.narrow(orb.string_to_object(words[0])), words[1], words[2]));
      } catch (SystemException e) {
        System.out.println(e.getClass().getSimpleName() + " " + (e.minor & 0xfff));
      }
    }
    orb.destroy();
  }

  private static String call(Counter counter, String operation, String argument) {
    switch (operation) {
      case "add":
        return "sum " + counter.add(Integer.parseInt(argument));
      case "mixed":
        int sum = 0;
        for (int i = 0; i < Integer.parseInt(argument); i++) {
          counter.note("n" + i);
          sum = counter.add(1);
        }
        return "sum " + sum;
      case "history":
        return counter.history();
      default:
        return "process " + counter.process();
    }
  }
}
