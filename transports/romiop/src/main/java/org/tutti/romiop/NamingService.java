package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;
import org.tutti.replica.StateMachine;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.romiop.NamingTree.Bound;
import org.tutti.romiop.NamingTree.Listing;
import org.tutti.romiop.NamingTree.Name;

/// CORBA's naming service: contexts (`NamingContextExt`) and what clients read of long lists (`BindingIterator`), each
/// an object of its own, all in one [NamingTree].
///
/// | object key | object |
/// | --- | --- |
/// | `NameService` | the first context, by the name that `corbaloc` and `corbaname` take by default |
/// | `TuttiNaming/REALM/NUMBER` | any context |
/// | `TuttiNamingList/REALM/NUMBER` | a list |
///
/// The realm tells the contexts of this service from those of others, which may be bound here: a name that goes on in
/// one of those ends by `CannotProceed`, with which the client goes there itself.
///
/// Source: OMG, *Naming Service Specification*, formal/04-10-03. Deviations: the first context cannot be destroyed
/// (`BAD_PARAM`), and lists end when more than [NamingTree#LISTS_MAX] are open.
final class NamingService implements ServedObjects {
  /// The key of the first context.
  static final String KEY = "NameService";

  static final String TYPE = "IDL:omg.org/CosNaming/NamingContextExt:1.0";

  /// How many bindings a client gets at a time.
  static final int LISTED_MAX = 1000;

  static final int COMPONENTS_MAX = 64; // of a name

  /// An operation of Tutti's: what is bound in a context, without the references.
  static final String SHOW = "_tutti_show";

  private static final String BASE_TYPE = "IDL:omg.org/CosNaming/NamingContext:1.0";
  private static final String LIST_TYPE = "IDL:omg.org/CosNaming/BindingIterator:1.0";
  private static final String OF_CONTEXTS = "TuttiNaming/";
  private static final String OF_LISTS = "TuttiNamingList/";
  private static final String DOMAIN = "tutti";
  private static final String GROUP = "corba-names";
  private static final int TAG_INTERNET_IOP = 0;
  private static final int TEXT_MAX = 255; // of an identifier or a kind
  private static final int LONG_TEXT_MAX = 8192; // of a whole name

  private static final Set<String> READS = Set.of("resolve", "resolve_str", "to_name", "to_string", "to_url");

  private final NamingTree tree = new NamingTree();

  /// Why a name was not found.
  private enum Why {
    MISSING,
    NO_CONTEXT,
    NO_OBJECT
  }

  /// Where a name ends.
  ///
  /// @param context that has the last component
  /// @param name    that component
  private record Place(long context, Name name) {}

  @Override
  public boolean isType(String key, String repositoryId) {
    return key.startsWith(OF_LISTS)
        ? repositoryId.equals(LIST_TYPE)
        : repositoryId.equals(TYPE) || repositoryId.equals(BASE_TYPE);
  }

  @Override
  public boolean isKey(String key) {
    return key.equals(KEY) || key.startsWith(OF_CONTEXTS) || key.startsWith(OF_LISTS);
  }

  @Override
  public boolean exists(String key) {
    try {
      return key.startsWith(OF_LISTS) ? tree.listing(number(key, OF_LISTS)) != null : tree.exists(context(key));
    } catch (FailedException _) {
      return false;
    }
  }

  private long context(String key) throws FailedException {
    return key.equals(KEY) ? NamingTree.ROOT : number(key, OF_CONTEXTS);
  }

  @Override
  public boolean isRead(String operation) {
    return READS.contains(operation);
  }

  @Override
  public void call(Call call) throws DeclaredException, FailedException, BrokenGiopException {
    if (call.unique() != 0) {
      tree.begin(call.unique());
    }
    if (call.key().startsWith(OF_LISTS)) {
      callList(call);
      return;
    }
    long context = context(call.key());
    if (!tree.exists(context)) {
      throw new FailedException(RomiopFailure.NO_SUCH_OBJECT);
    }
    switch (call.operation()) {
      case "bind", "rebind", "bind_context", "rebind_context" -> bind(context, call);
      case "resolve" -> resolve(context, readName(call.arguments()), call);
      case "resolve_str" -> resolve(context, parsed(call.arguments().string(LONG_TEXT_MAX)), call);
      case "unbind" -> unbind(context, call);
      case "new_context" -> call.results().reference(reference(tree.create(), call.ports()));
      case "bind_new_context" -> bindNew(context, call);
      case "destroy" -> destroy(context);
      case "list" -> list(context, call);
      case "to_string" -> call.results().string(NameText.of(readName(call.arguments())));
      case "to_name" -> write(parsed(call.arguments().string(LONG_TEXT_MAX)), call.results());
      case "to_url" -> url(call);
      case SHOW -> show(context, call);
      default -> throw new FailedException(RomiopFailure.NO_SUCH_OPERATION);
    }
  }

  /// The number at the end of a key.
  private long number(String key, String prefix) throws FailedException {
    String realm = prefix + Long.toHexString(tree.realm()) + "/";
    String digits = key.startsWith(realm) ? key.substring(realm.length()) : "";
    if (!digits.matches("\\d{1,18}")) {
      throw new FailedException(RomiopFailure.NO_SUCH_OBJECT);
    }
    return Long.parseLong(digits);
  }

  private IOR reference(long context, List<InetSocketAddress> ports) {
    return reference(TYPE, OF_CONTEXTS, context, ports);
  }

  private IOR reference(String type, String prefix, long number, List<InetSocketAddress> ports) {
    String key = prefix + Long.toHexString(tree.realm()) + "/" + number;
    return new GroupReference(type, new GroupReference.Id(DOMAIN, GROUP, key), 1, null, ports).ior();
  }

  private IOR reference(Bound bound, List<InetSocketAddress> ports) {
    return switch (bound) {
      case Bound.Own(long number) -> reference(number, ports);
      case Bound.Foreign foreign -> foreign.ior();
    };
  }

  // ---- names ---------------------------------------------------------------------------------------------------

  private static List<Name> readName(CdrIn in) throws DeclaredException, BrokenGiopException {
    List<Name> name = new ArrayList<>();
    for (int left = in.length(COMPONENTS_MAX); left > 0; left--) {
      name.add(new Name(in.string(TEXT_MAX), in.string(TEXT_MAX)));
    }
    if (name.isEmpty()) {
      throw exception("InvalidName");
    }
    return name;
  }

  private static List<Name> parsed(String text) throws DeclaredException {
    List<Name> name = NameText.read(text);
    if (name == null
        || name.size() > COMPONENTS_MAX
        || name.stream().anyMatch(each -> each.id().length() > TEXT_MAX || each.kind().length() > TEXT_MAX)) {
      throw exception("InvalidName");
    }
    return name;
  }

  private static void write(List<Name> name, CdrOut out) {
    out.ulong(name.size());
    name.forEach(each -> out.string(each.id()).string(each.kind()));
  }

  private static DeclaredException exception(String name) {
    return new DeclaredException("IDL:omg.org/CosNaming/NamingContext/" + name + ":1.0");
  }

  private static DeclaredException notFound(Why why, List<Name> rest) {
    DeclaredException failed = exception("NotFound");
    write(rest, failed.body().ulong(why.ordinal()));
    return failed;
  }

  private DeclaredException cannotProceed(Bound at, List<Name> rest, Call call) {
    DeclaredException failed = exception("CannotProceed");
    write(rest, failed.body().reference(reference(at, call.ports())));
    return failed;
  }

  /// Goes through all components but for the last one.
  private Place find(long start, List<Name> name, Call call) throws DeclaredException {
    long context = start;
    for (int i = 0; i < name.size() - 1; i++) {
      List<Name> rest = name.subList(i, name.size());
      switch (tree.get(context, name.get(i))) {
        case null -> throw notFound(Why.MISSING, rest);
        case Bound.Own(long number) when tree.exists(number) -> context = number;
        case Bound.Foreign(var _, boolean isContext) when !isContext -> throw notFound(Why.NO_CONTEXT, rest);
        case Bound elsewhere -> throw cannotProceed(elsewhere, rest.subList(1, rest.size()), call);
      }
    }
    return new Place(context, name.getLast());
  }

  // ---- contexts ------------------------------------------------------------------------------------------------

  private void bind(long start, Call call) throws DeclaredException, FailedException, BrokenGiopException {
    List<Name> name = readName(call.arguments());
    IOR to = call.arguments().reference(NamingTree.TYPE_MAX, NamingTree.REFERENCE_BYTES_MAX);
    boolean isContext = call.operation().endsWith("_context");
    if (isContext && to.profiles.length == 0) {
      throw new FailedException(RomiopFailure.WRONG_ARGUMENT); // nil
    }
    Place place = find(start, name, call);
    Bound before = tree.get(place.context, place.name);
    if (before != null && call.operation().startsWith("bind")) {
      throw exception("AlreadyBound");
    } else if (before != null && isContext != isContext(before)) {
      throw notFound(isContext ? Why.NO_CONTEXT : Why.NO_OBJECT, List.of(place.name));
    }
    tree.put(place.context, place.name, isContext ? bound(to, call) : Bound.Foreign.of(to, false));
  }

  private static boolean isContext(Bound bound) {
    return switch (bound) {
      case Bound.Own _ -> true;
      case Bound.Foreign(var _, boolean isContext) -> isContext;
    };
  }

  /// A context by its reference, be it one of this service or of another one.
  private Bound bound(IOR context, Call call) {
    for (TaggedProfile each : context.profiles) {
      if (each.tag == TAG_INTERNET_IOP) {
        Bound own = own(each.profile_data, call);
        if (own != null) {
          return own;
        }
      }
    }
    return Bound.Foreign.of(context, true);
  }

  private @Nullable Bound own(byte[] profile, Call call) {
    try {
      Giop.require(profile.length > 0, "no profile");
      ByteOrder order = profile[0] == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
      CdrIn in = new CdrIn(ByteBuffer.wrap(profile).order(order), 3); // behind byte order and version
      String host = in.string(TEXT_MAX);
      int port = in.ushort();
      String key = new String(in.octets(TEXT_MAX), StandardCharsets.ISO_8859_1);
      if (key.equals(KEY)) {
        boolean isHere = call.ports().contains(InetSocketAddress.createUnresolved(host, port));
        return isHere ? new Bound.Own(NamingTree.ROOT) : null;
      }
      return key.startsWith(OF_CONTEXTS) ? new Bound.Own(number(key, OF_CONTEXTS)) : null;
    } catch (BrokenGiopException | FailedException _) {
      return null; // it is of somebody else
    }
  }

  private void resolve(long start, List<Name> name, Call call) throws DeclaredException {
    Place place = find(start, name, call);
    Bound bound = tree.get(place.context, place.name);
    if (bound == null) {
      throw notFound(Why.MISSING, List.of(place.name));
    }
    call.results().reference(reference(bound, call.ports()));
  }

  private void unbind(long start, Call call) throws DeclaredException, BrokenGiopException {
    Place place = find(start, readName(call.arguments()), call);
    if (tree.remove(place.context, place.name) == null) {
      throw notFound(Why.MISSING, List.of(place.name));
    }
  }

  private void bindNew(long start, Call call) throws DeclaredException, FailedException, BrokenGiopException {
    Place place = find(start, readName(call.arguments()), call);
    if (tree.get(place.context, place.name) != null) {
      throw exception("AlreadyBound");
    }
    long made = tree.create();
    try {
      tree.put(place.context, place.name, new Bound.Own(made));
    } catch (FailedException e) {
      tree.destroy(made);
      throw e;
    }
    call.results().reference(reference(made, call.ports()));
  }

  private void destroy(long context) throws DeclaredException, FailedException {
    if (!tree.isEmpty(context)) {
      throw exception("NotEmpty");
    } else if (context == NamingTree.ROOT) {
      throw new FailedException(RomiopFailure.WRONG_ARGUMENT);
    }
    tree.destroy(context);
  }

  private void url(Call call) throws DeclaredException, BrokenGiopException {
    String address = call.arguments().string(LONG_TEXT_MAX);
    String name = call.arguments().string(LONG_TEXT_MAX);
    if (address.isEmpty()) {
      throw new DeclaredException("IDL:omg.org/CosNaming/NamingContextExt/InvalidAddress:1.0");
    }
    parsed(name);
    call.results().string("corbaname:" + address + "#" + NameText.inUrl(name));
  }

  // ---- lists ---------------------------------------------------------------------------------------------------

  private void list(long context, Call call) throws BrokenGiopException {
    int most = most(call.arguments().ulong());
    List<Map.Entry<Name, Bound>> some = tree.list(context, null, most);
    writeAll(some, call.results());
    Name last = some.isEmpty() ? null : some.getLast().getKey(); // null: nothing was wanted
    if (!tree.list(context, last, 1).isEmpty()) {
      call.results().reference(reference(LIST_TYPE, OF_LISTS, tree.open(new Listing(context, last)), call.ports()));
    } else {
      call.results().nil();
    }
  }

  private static int most(int wanted) {
    return (int) Math.min(Integer.toUnsignedLong(wanted), LISTED_MAX);
  }

  private static void writeAll(List<Map.Entry<Name, Bound>> bindings, CdrOut out) {
    out.ulong(bindings.size());
    bindings.forEach(each -> write(each, out));
  }

  private static void write(Map.Entry<Name, Bound> binding, CdrOut out) {
    write(List.of(binding.getKey()), out);
    out.ulong(isContext(binding.getValue()) ? 1 : 0);
  }

  private void callList(Call call) throws FailedException, BrokenGiopException {
    long number = number(call.key(), OF_LISTS);
    Listing list = tree.listing(number);
    if (list == null) {
      throw new FailedException(RomiopFailure.NO_SUCH_OBJECT);
    }
    switch (call.operation()) {
      case "next_one" -> {
        List<Map.Entry<Name, Bound>> one = next(number, list, 1);
        call.results().octet(one.isEmpty() ? 0 : 1);
        if (one.isEmpty()) {
          write(List.of(), call.results());
          call.results().ulong(0); // a binding of nothing
        } else {
          write(one.getFirst(), call.results());
        }
      }
      case "next_n" -> {
        int most = most(call.arguments().ulong());
        if (most == 0) {
          throw new FailedException(RomiopFailure.WRONG_ARGUMENT);
        }
        List<Map.Entry<Name, Bound>> some = next(number, list, most);
        writeAll(some, call.results().octet(some.isEmpty() ? 0 : 1));
      }
      case "destroy" -> tree.close(number);
      default -> throw new FailedException(RomiopFailure.NO_SUCH_OPERATION);
    }
  }

  private List<Map.Entry<Name, Bound>> next(long number, Listing list, int most) {
    if (!tree.exists(list.context())) {
      return List.of(); // it was destroyed meanwhile
    }
    List<Map.Entry<Name, Bound>> some = tree.list(list.context(), list.last(), most);
    if (!some.isEmpty()) {
      tree.advance(number, new Listing(list.context(), some.getLast().getKey()));
    }
    return some;
  }

  /// One binding, as Tutti's own command shows it.
  ///
  /// @param name    what is bound
  /// @param type    of the object; empty for a context of this service
  /// @param context the key of the context of this service, or nothing
  record Shown(Name name, String type, String context) {
    static Shown read(CdrIn in) throws BrokenGiopException {
      Name name = new Name(in.string(TEXT_MAX), in.string(TEXT_MAX));
      return new Shown(name, in.string(NamingTree.TYPE_MAX), in.string(TEXT_MAX));
    }
  }

  /// The arguments of [#SHOW].
  ///
  /// @param after empty: from the first on
  static CdrOut showing(@Nullable Name after) {
    CdrOut out = new CdrOut().octet(after == null ? 0 : 1);
    return after == null ? out : out.string(after.id()).string(after.kind());
  }

  private void show(long context, Call call) throws BrokenGiopException {
    CdrIn in = call.arguments();
    Name after = in.octet() == 0 ? null : new Name(in.string(TEXT_MAX), in.string(TEXT_MAX));
    List<Map.Entry<Name, Bound>> some = tree.list(context, after, LISTED_MAX);
    CdrOut out = call.results().ulong(some.size());
    for (Map.Entry<Name, Bound> each : some) {
      out.string(each.getKey().id()).string(each.getKey().kind());
      switch (each.getValue()) {
        case Bound.Own(long number) -> {
          String realm = Long.toHexString(tree.realm()) + "/";
          out.string("").string(number == NamingTree.ROOT ? KEY : OF_CONTEXTS + realm + number);
        }
        case Bound.Foreign foreign -> out.string(foreign.ior().type_id).string("");
      }
    }
  }

  @Override
  public StateMachine.Snapshot snapshot() {
    return tree.snapshot();
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    tree.restore(in);
  }

  @Override
  public long digest() {
    return tree.digest();
  }
}
