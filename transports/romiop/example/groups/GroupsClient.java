import TuttiGroups.InvalidProperty;
import TuttiGroups.Member;
import TuttiGroups.ObjectGroupInfo;
import TuttiGroups.ObjectGroupManager;
import TuttiGroups.ObjectGroupManagerHelper;
import TuttiGroups.ObjectGroupName;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.UserException;

/** A client of the group service: calls what each line of its input says, on the reference that it begins with. */
public final class GroupsClient {
  private GroupsClient() {}

  public static void main(String[] args) throws Exception {
    ORB orb = ORB.init(args, null);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      try {
        ObjectGroupManager service = ObjectGroupManagerHelper.narrow(orb.string_to_object(words[0]));
        ObjectGroupName name = new ObjectGroupName(words[2], words[3], words[4]);
        System.out.println(call(orb, service, name, words));
      } catch (InvalidProperty e) {
        System.out.println("InvalidProperty " + e.nam + "=" + e.val);
      } catch (UserException e) {
        System.out.println(e.getClass().getSimpleName());
      } catch (SystemException e) {
        System.out.println(e.getClass().getSimpleName() + " " + (e.minor & 0xfff));
      }
    }
    orb.destroy();
  }

  private static String call(ORB orb, ObjectGroupManager service, ObjectGroupName name, String[] words)
      throws UserException {
    switch (words[1]) {
      case "create":
        service.create_object_group(name, words[5], "");
        return "created";
      case "delete":
        service.delete_object_group(name);
        return "deleted";
      case "add":
        String gateway = words.length > 7 ? words[7] : "";
        return orb.object_to_string(service.add_member(name, new Member(words[5], words[6], gateway)));
      case "remove":
        return service.remove_member(name, words[5]) == null ? "nobody" : "removed";
      case "reference":
        return orb.object_to_string(service.get_object_group_ref(name));
      case "locations":
        return String.join(" ", service.locations_of_members(name));
      case "id":
        return Long.toUnsignedString(service.get_object_group_id(name));
      default:
        ObjectGroupInfo[] all = service.list_object_groups(new ObjectGroupName("", "", ""), 100);
        return all.length + " groups, " + service.describe(name).group_members.length + " members";
    }
  }
}
