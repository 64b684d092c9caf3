package org.tutti.examples.accounts;

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
}
