package org.tutti.registry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration;

/// Reads the fields of a JSON object from strangers: whatever is missing or of another kind is said by name.
final class Fields {
  /// The longest name of a group or a member, in bytes of UTF-8.
  static final int NAME_BYTES_MAX = 255;

  private final Map<?, ?> fields;

  /// Input that is not as it should be.
  static final class Malformed extends IOException {
    private static final long serialVersionUID = 1L;

    Malformed(String what) {
      super(what);
    }
  }

  Fields(@Nullable Object json) throws Malformed {
    if (!(json instanceof Map<?, ?> map)) {
      throw new Malformed("not an object");
    }
    this.fields = map;
  }

  /// A name: 1 to 255 bytes without control characters.
  String text(String field) throws Malformed {
    if (!(fields.get(field) instanceof String text)
        || text.isEmpty()
        || text.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES_MAX
        || text.chars().anyMatch(Character::isISOControl)) {
      throw new Malformed("'" + field + "' is not a text of 1 to " + NAME_BYTES_MAX + " bytes");
    }
    return text;
  }

  Address address(String field) throws Malformed {
    return new Address(text(field));
  }

  /// A role; whoever has none leaves it out.
  RoleRegistration.@Nullable Role role(String field) throws Malformed {
    Object word = fields.get(field);
    for (var role : RoleRegistration.Role.values()) {
      if (role.word().equals(word)) {
        return role;
      }
    }
    if (word != null) {
      throw new Malformed("'" + field + "' is not client or server");
    }
    return null;
  }

  long number(String field) throws Malformed {
    if (fields.get(field) instanceof Integer number) {
      return number;
    }
    if (fields.get(field) instanceof Long number) {
      return number;
    }
    throw new Malformed("'" + field + "' is not a number");
  }

  /// How many there are of something.
  int count(String field) throws Malformed {
    long number = number(field);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new Malformed("'" + field + "' is not a count");
    }
    return (int) number;
  }

  /// The same, if it may be left out.
  int count(String field, int otherwise) throws Malformed {
    return fields.containsKey(field) ? count(field) : otherwise;
  }

  boolean flag(String field) throws Malformed {
    if (fields.get(field) instanceof Boolean flag) {
      return flag;
    }
    throw new Malformed("'" + field + "' is not true or false");
  }

  List<?> list(String field) throws Malformed {
    if (fields.get(field) instanceof List<?> list) {
      return list;
    }
    throw new Malformed("'" + field + "' is not a list");
  }
}
