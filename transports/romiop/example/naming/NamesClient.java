import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UserException;
import org.omg.CosNaming.BindingIteratorHolder;
import org.omg.CosNaming.BindingListHolder;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;

/** A client of a naming service: calls what each line of its input says, on the reference that the line begins with. */
public final class NamesClient {
  private NamesClient() {}

  public static void main(String[] args) throws Exception {
    ORB orb = ORB.init(args, null);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      try {
        NamingContextExt context = NamingContextExtHelper.narrow(orb.string_to_object(words[0]));
        System.out.println(call(orb, context, words));
      } catch (UserException e) {
        System.out.println(e.getClass().getSimpleName());
      } catch (SystemException e) {
        System.out.println(e.getClass().getSimpleName() + " " + (e.minor & 0xfff));
      }
    }
    orb.destroy();
  }

  private static String call(ORB orb, NamingContextExt context, String[] words) throws UserException {
    NameComponent[] name = context.to_name(words[2]);
    switch (words[1]) {
      case "bind":
        context.bind(name, orb.string_to_object(words[3]));
        return "bound";
      case "rebind":
        context.rebind(name, orb.string_to_object(words[3]));
        return "bound";
      case "bind_context":
        context.bind_context(name, NamingContextExtHelper.narrow(orb.string_to_object(words[3])));
        return "bound";
      case "make":
        return orb.object_to_string(context.bind_new_context(name));
      case "resolve":
        return orb.object_to_string(context.resolve(name));
      case "unbind":
        context.unbind(name);
        return "unbound";
      default:
        return list(NamingContextExtHelper.narrow(context.resolve(name)));
    }
  }

  /** The first three, then two at a time. */
  private static String list(NamingContextExt context) throws UserException {
    BindingListHolder some = new BindingListHolder();
    BindingIteratorHolder rest = new BindingIteratorHolder();
    context.list(3, some, rest);
    StringBuilder all = new StringBuilder();
    boolean more = true;
    while (more) {
      for (org.omg.CosNaming.Binding each : some.value) {
        all.append(context.to_string(each.binding_name)).append(each.binding_type.value() == 1 ? "/ " : " ");
      }
      more = rest.value != null && rest.value.next_n(2, some);
    }
    if (rest.value != null) {
      rest.value.destroy();
    }
    return all.toString().trim();
  }
}
