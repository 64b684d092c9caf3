package org.tutti.romiop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Client;
import org.tutti.replica.StateMachine;
import org.tutti.replica.spi.PortProvider;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.romiop.NamingTree.Name;
import org.tutti.transport.Address;

/// Offers [NamingService] as `corba-names`.
public final class NamingProvider implements PortProvider {
  private static final String NAME = "corba-names";

  /// For the service loader.
  public NamingProvider() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public StateMachine machine() {
    return new ReplicatedObjects(new NamingService());
  }

  @Override
  public Port open(Address listen, List<Address> all, Client client) throws IOException {
    var id = new GroupReference.Id("tutti", NAME, NamingService.KEY);
    return ServiceGateway.open(listen, all, client, new NamingService(), id, NamingService.TYPE);
  }

  /// All bindings with their whole names; each context once, where it is found first.
  @Override
  public List<Entry> entries(Client client) throws InterruptedException {
    List<Entry> all = new ArrayList<>();
    walk(client, NamingService.KEY, List.of(), new HashSet<>(Set.of(NamingService.KEY)), all);
    return all;
  }

  private static void walk(Client client, String key, List<Name> path, Set<String> seen, List<Entry> all)
      throws InterruptedException {
    @Nullable Name last = null;
    boolean isEnd = false;
    while (!isEnd) {
      List<NamingService.Shown> some = show(client, key, last);
      for (NamingService.Shown each : some) {
        List<Name> name = new ArrayList<>(path);
        name.add(each.name());
        all.add(entry(name, each));
        if (!each.context().isEmpty() && name.size() < NamingService.COMPONENTS_MAX && seen.add(each.context())) {
          walk(client, each.context(), name, seen, all);
        }
        last = each.name();
      }
      isEnd = some.isEmpty();
    }
  }

  private static List<NamingService.Shown> show(Client client, String key, @Nullable Name after)
      throws InterruptedException {
    Giop reply = ServiceCaller.ask(client, Giop.call(key, NamingService.SHOW, NamingService.showing(after)));
    if (!reply.isResult()) {
      return List.of(); // the context was destroyed
    }
    try {
      CdrIn in = reply.body();
      List<NamingService.Shown> some = new ArrayList<>();
      for (int i = in.length(NamingService.LISTED_MAX); i > 0; i--) {
        some.add(NamingService.Shown.read(in));
      }
      return some;
    } catch (BrokenGiopException e) {
      throw new IllegalStateException("another service answers: " + e.getMessage(), e);
    }
  }

  private static Entry entry(List<Name> name, NamingService.Shown shown) {
    boolean isContext = !shown.context().isEmpty();
    String text = NameText.of(name);
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", text);
    fields.put("context", isContext);
    if (!isContext) {
      fields.put("type", shown.type());
    }
    return new Entry(text + (isContext ? "/" : " " + shown.type()), fields);
  }
}
