package org.tutti.examples.accounts;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The arguments of the service's processes: `--name=value`.
final class Arguments {
  private final Map<String, String> values = new LinkedHashMap<>();

  Arguments(String[] args, Set<String> known) {
    for (String arg : args) {
      int equals = arg.indexOf('=');
      String name = arg.startsWith("--") && equals > 0 ? arg.substring(2, equals) : "";
      if (!known.contains(name)) {
        throw new IllegalArgumentException("expected --NAME=VALUE with NAME of " + known + ", not " + arg);
      }
      values.put(name, arg.substring(equals + 1));
    }
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + " is missing");
    }
    return value;
  }

  int number(String name) {
    return Integer.parseInt(text(name));
  }

  List<String> list(String name) {
    return List.of(text(name).split(","));
  }

  InetSocketAddress endpoint(String name) {
    return endpoints(name).getFirst();
  }

  List<InetSocketAddress> endpoints(String name) {
    var endpoints = new ArrayList<InetSocketAddress>();
    for (String text : list(name)) {
      int colon = text.lastIndexOf(':');
      if (colon < 1) {
        throw new IllegalArgumentException("--" + name + ": expected HOST:PORT, not " + text);
      }
      endpoints.add(new InetSocketAddress(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1))));
    }
    return endpoints;
  }
}
