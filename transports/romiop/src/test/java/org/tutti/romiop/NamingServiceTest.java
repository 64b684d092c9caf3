package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.omg.IOP.IOR;
import org.omg.IOP.TaggedProfile;
import org.tutti.replica.Command;
import org.tutti.romiop.NamingTree.Name;

/// The naming service as a replica has it: requests of GIOP in, replies out.
class NamingServiceTest {
  private static final String PORTS = "127.0.0.1:7421,127.0.0.1:7422";
  private static final Instant NOW = Instant.parse("2026-11-27T12:00:00Z");
  private static final String ROOT = NamingService.KEY;

  private ReplicatedObjects service = new ReplicatedObjects(new NamingService());
  private int position;

  /// A name of identifiers, or of `id.kind`.
  private static CdrOut name(String text) {
    List<Name> name = NameText.read(text);
    CdrOut out = new CdrOut().ulong(name.size());
    name.forEach(each -> out.string(each.id()).string(each.kind()));
    return out;
  }

  private static IOR object(String host) {
    CdrOut profile = new CdrOut().octet(0).octet(1).octet(2).string(host).ushort(7).octets(new byte[] {'k'});
    return new IOR("IDL:X:1.0", new TaggedProfile[] {new TaggedProfile(0, profile.ulong(0).bytes())});
  }

  private Giop call(String key, String operation, CdrOut arguments) throws Exception {
    position++;
    ByteBuffer payload = ServiceRequest.encoded(PORTS, Giop.call(key, operation, arguments));
    return Giop.of(service.apply(new Command(7, position, position, NOW, payload)).array());
  }

  /// The name of the exception by which a call ends, with what is in it; or "done".
  private String outcome(String key, String operation, CdrOut arguments) throws Exception {
    Giop reply = call(key, operation, arguments);
    if (reply.isResult()) {
      return "done";
    }
    CdrIn in = reply.body();
    String said = in.string(255).replaceFirst(".*/(\\w+):1.0", "$1");
    return switch (said) {
      case "NotFound" -> said + " " + in.ulong() + " " + readName(in);
      case "CannotProceed" -> said + " " + key(in.reference(255, 9999)) + " " + readName(in);
      default -> reply.isUserException() ? said : said + " " + (in.ulong() & 0xfff);
    };
  }

  private static String readName(CdrIn in) throws Exception {
    List<Name> name = new ArrayList<>();
    for (int left = in.ulong(); left > 0; left--) {
      name.add(new Name(in.string(255), in.string(255)));
    }
    return NameText.of(name);
  }

  /// The object key in the first profile.
  private static String key(IOR reference) throws Exception {
    CdrIn in = new CdrIn(ByteBuffer.wrap(reference.profiles[0].profile_data), 3);
    in.string(255);
    in.ushort();
    return new String(in.octets(255), StandardCharsets.ISO_8859_1);
  }

  private IOR reference(String key, String operation, CdrOut arguments) throws Exception {
    Giop reply = call(key, operation, arguments);
    assertThat(reply.isResult()).as(operation).isTrue();
    return reply.body().reference(255, 9999);
  }

  private String made(String key, String name) throws Exception {
    IOR made = reference(key, "bind_new_context", name(name));
    assertThat(made.type_id).isEqualTo(NamingService.TYPE);
    assertThat(made.profiles).as("one for each port").hasSize(2);
    return key(made);
  }

  private String bind(String name) throws Exception {
    return outcome(ROOT, "bind", name(name).reference(object("h")));
  }

  @Test
  void namesLeadThroughContextsToObjects() throws Exception {
    String a = made(ROOT, "a.x");
    String b = made(a, "b");
    assertThat(bind("a.x/b/c")).isEqualTo("done");
    for (IOR found :
        List.of(
            reference(ROOT, "resolve", name("a.x/b/c")),
            reference(b, "resolve", name("c")),
            reference(ROOT, "resolve_str", new CdrOut().string("a.x/b/c")))) {
      assertThat(found.type_id).isEqualTo("IDL:X:1.0");
      assertThat(found.profiles[0].profile_data).isEqualTo(object("h").profiles[0].profile_data);
    }
    assertThat(key(reference(ROOT, "resolve", name("a.x/b")))).isEqualTo(b);
    assertThat(outcome(a, "rebind", name("b/c").reference(object("other")))).isEqualTo("done");
    assertThat(reference(b, "resolve", name("c")).profiles[0].profile_data)
        .isEqualTo(object("other").profiles[0].profile_data);
    assertThat(outcome(ROOT, "unbind", name("a.x/b/c"))).isEqualTo("done");
    assertThat(outcome(b, "resolve", name("c"))).isEqualTo("NotFound 0 c");
  }

  @Test
  void mistakesAreExceptionsAndChangeNothing() throws Exception {
    String a = made(ROOT, "a");
    assertThat(bind("a/o")).isEqualTo("done");
    long digest = service.digest().orElseThrow();
    assertThat(bind("a/o")).isEqualTo("AlreadyBound");
    assertThat(bind("a")).isEqualTo("AlreadyBound");
    assertThat(outcome(ROOT, "bind_new_context", name("a"))).isEqualTo("AlreadyBound");
    assertThat(outcome(ROOT, "resolve", name("x/y/z"))).isEqualTo("NotFound 0 x/y/z");
    assertThat(outcome(ROOT, "resolve", name("a/y/z"))).isEqualTo("NotFound 0 y/z");
    assertThat(outcome(ROOT, "resolve", name("a/o/z"))).isEqualTo("NotFound 1 o/z");
    assertThat(outcome(ROOT, "rebind", name("a").reference(object("h")))).isEqualTo("NotFound 2 a");
    assertThat(outcome(a, "rebind_context", name("o").reference(object("h")))).isEqualTo("NotFound 1 o");
    assertThat(outcome(ROOT, "bind_context", name("n").nil())).isEqualTo("BAD_PARAM 14");
    assertThat(outcome(ROOT, "unbind", name("n"))).isEqualTo("NotFound 0 n");
    assertThat(outcome(ROOT, "resolve", new CdrOut().ulong(0))).isEqualTo("InvalidName");
    assertThat(outcome(ROOT, "to_name", new CdrOut().string("a//b"))).isEqualTo("InvalidName");
    assertThat(outcome(ROOT, "to_url", new CdrOut().string("").string("a"))).isEqualTo("InvalidAddress");
    assertThat(outcome(a, "destroy", new CdrOut())).isEqualTo("NotEmpty");
    assertThat(outcome("TuttiNaming/0/1", "list", new CdrOut().ulong(1))).isEqualTo("OBJECT_NOT_EXIST 8");
    assertThat(outcome(ROOT, "bind", name("n").ulong(Integer.MAX_VALUE))).isEqualTo("MARSHAL 7");
    assertThat(outcome(ROOT, "resolve", new CdrOut().ulong(Integer.MAX_VALUE))).isEqualTo("MARSHAL 7");
    assertThat(outcome(ROOT, "shutdown", new CdrOut())).isEqualTo("BAD_OPERATION 12");
    assertThat(service.digest()).hasValue(digest);
  }

  @Test
  void contextsMayBeBoundTwiceAndDestroyedAndThoseOfOthersAreReferredTo() throws Exception {
    String made = key(reference(ROOT, "new_context", new CdrOut()));
    IOR own = reference(ROOT, "new_context", new CdrOut());
    assertThat(outcome(ROOT, "bind_context", name("twice").reference(own))).isEqualTo("done");
    assertThat(outcome(ROOT, "rebind_context", name("again").reference(own))).isEqualTo("done");
    assertThat(outcome(key(own), "bind_context", name("up").reference(own))).as("a circle").isEqualTo("done");
    assertThat(bind("twice/o")).isEqualTo("done");
    assertThat(reference(ROOT, "resolve", name("again/up/up/o")).type_id).isEqualTo("IDL:X:1.0");
    assertThat(outcome(ROOT, "bind_context", name("other").reference(object("elsewhere")))).isEqualTo("done");
    assertThat(outcome(ROOT, "resolve", name("other/a/b"))).isEqualTo("CannotProceed k a/b");

    assertThat(outcome(made, "destroy", new CdrOut())).isEqualTo("done");
    assertThat(outcome(made, "list", new CdrOut().ulong(1))).isEqualTo("OBJECT_NOT_EXIST 8");
    assertThat(call(made, "_non_existent", new CdrOut()).body().octet()).isOne();
    assertThat(outcome(key(own), "unbind", name("up"))).isEqualTo("done");
    assertThat(outcome(key(own), "unbind", name("o"))).isEqualTo("done");
    assertThat(outcome(key(own), "destroy", new CdrOut())).isEqualTo("done");
    assertThat(outcome(ROOT, "resolve", name("twice/o"))).isEqualTo("CannotProceed " + key(own) + " o");
  }

  @Test
  void longListsAreReadInParts() throws Exception {
    for (int i = 0; i < 25; i++) {
      assertThat(bind("o" + (char) ('a' + i))).isEqualTo("done");
    }
    made(ROOT, "z");
    for (int first : new int[] {0, 10}) {
      CdrIn in = call(ROOT, "list", new CdrOut().ulong(first)).body();
      List<String> read = bindings(in);
      assertThat(read).hasSize(first);
      String list = key(in.reference(255, 9999));
      assertThat(call(list, "_is_a", new CdrOut().string("IDL:omg.org/CosNaming/BindingIterator:1.0")).body().octet())
          .isOne();
      CdrIn one = call(list, "next_one", new CdrOut()).body();
      assertThat(one.octet()).isOne();
      read.add(readName(one) + one.ulong());
      for (CdrIn part = next(list); part.octet() == 1; part = next(list)) {
        read.addAll(bindings(part));
      }
      assertThat(read).hasSize(26).startsWith("oa0", "ob0").endsWith("oy0", "z1").doesNotHaveDuplicates();
      assertThat(call(list, "next_one", new CdrOut()).body().octet()).isZero();
      assertThat(outcome(list, "next_n", new CdrOut().ulong(0))).isEqualTo("BAD_PARAM 14");
      assertThat(outcome(list, "destroy", new CdrOut())).isEqualTo("done");
      assertThat(outcome(list, "next_one", new CdrOut())).isEqualTo("OBJECT_NOT_EXIST 8");
    }
    CdrIn all = call(ROOT, "list", new CdrOut().ulong(-1)).body();
    assertThat(bindings(all)).hasSize(26);
    assertThat(all.reference(255, 9999).profiles).as("no more").isEmpty();
  }

  private CdrIn next(String list) throws Exception {
    return call(list, "next_n", new CdrOut().ulong(7)).body();
  }

  private static List<String> bindings(CdrIn in) throws Exception {
    List<String> all = new ArrayList<>();
    for (int left = in.ulong(); left > 0; left--) {
      all.add(readName(in) + in.ulong());
    }
    return all;
  }

  @Test
  void namesAreText() throws Exception {
    List<Name> odd = List.of(new Name("a/b", "c.d"), new Name("", ""), new Name("", "k"), new Name("e\\", ""));
    String text = NameText.of(odd);
    assertThat(text).isEqualTo("a\\/b.c\\.d/./.k/e\\\\");
    assertThat(NameText.read(text)).isEqualTo(odd);
    for (String wrong : List.of("", "/", "a/", "a.", "a.b.c", "a\\", "a\\b", "/a")) {
      assertThat(NameText.read(wrong)).as(wrong).isNull();
    }
    Giop url = call(ROOT, "to_url", new CdrOut().string(":host:1").string("a b/c%"));
    assertThat(url.body().string(99)).isEqualTo("corbaname::host:1#a%20b/c%25");
    assertThat(call(ROOT, "to_string", name("a.b/c")).body().string(99)).isEqualTo("a.b/c");
    assertThat(readName(call(ROOT, "to_name", new CdrOut().string("a.b/c")).body())).isEqualTo("a.b/c");
  }

  @Test
  void boundsAreKept() throws Exception {
    CdrOut large = name("large").string("IDL:X:1.0").ulong(1).ulong(0);
    assertThat(outcome(ROOT, "bind", large.octets(new byte[NamingTree.REFERENCE_BYTES_MAX + 1])))
        .isEqualTo("MARSHAL 7");
    for (int i = 1; i < NamingTree.CONTEXTS_MAX; i++) {
      assertThat(outcome(ROOT, "new_context", new CdrOut())).isEqualTo("done");
    }
    assertThat(outcome(ROOT, "new_context", new CdrOut())).isEqualTo("NO_RESOURCES 13");
    assertThat(outcome(ROOT, "bind_new_context", name("n"))).isEqualTo("NO_RESOURCES 13");
    byte[] reference = new byte[40 << 10];
    String full = "done";
    int count = 0;
    while (full.equals("done")) {
      full = outcome(ROOT, "bind", name("n" + count++).string("IDL:X:1.0").ulong(1).ulong(0).octets(reference));
    }
    assertThat(full).isEqualTo("NO_RESOURCES 13");
    assertThat(count).as("64 MiB in all").isBetween(1600, 1700);
    String list = key(listed(1));
    for (int i = 0; i < NamingTree.LISTS_MAX; i++) {
      listed(1);
    }
    assertThat(outcome(list, "next_one", new CdrOut())).as("the oldest list").isEqualTo("OBJECT_NOT_EXIST 8");
  }

  private IOR listed(int most) throws Exception {
    CdrIn in = call(ROOT, "list", new CdrOut().ulong(most)).body();
    bindings(in);
    return in.reference(255, 9999);
  }

  @Test
  void aNewcomerGetsTheState() throws Exception {
    String a = made(ROOT, "a");
    assertThat(bind("a/o")).isEqualTo("done");
    assertThat(bind("p")).isEqualTo("done");
    assertThat(outcome(ROOT, "bind_context", name("other").reference(object("elsewhere")))).isEqualTo("done");
    String list = key(listed(1));
    String unread = key(listed(0));
    byte[] state = snapshot();
    long digest = service.digest().orElseThrow();
    service = new ReplicatedObjects(new NamingService());
    service.restore(new ByteArrayInputStream(state));
    assertThat(service.digest()).hasValue(digest);
    assertThat(snapshot()).isEqualTo(state);
    assertThat(reference(a, "resolve", name("o")).type_id).isEqualTo("IDL:X:1.0");
    CdrIn rest = next(list);
    assertThat(rest.octet()).isOne();
    assertThat(bindings(rest)).containsExactly("other1", "p0");
    assertThat(call(unread, "next_one", new CdrOut()).body().octet()).isOne();
    byte[] cut = Arrays.copyOf(state, state.length - 1);
    assertThatThrownBy(() -> service.restore(new ByteArrayInputStream(cut))).isInstanceOf(IOException.class);
  }

  private byte[] snapshot() throws IOException {
    var out = new ByteArrayOutputStream();
    service.snapshot().writeTo(out);
    return out.toByteArray();
  }
}
