package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What the whiteboard's messages may be.
class BoardExchangeTest {
  private static ByteBuffer message(String... names) {
    var out = new WireWriter();
    out.count(7);
    out.count(names.length);
    for (int i = 0; i < names.length; i++) {
      out.text(names[i]);
      out.fixed(-i);
    }
    return out.copy();
  }

  private static String[] names(int count) {
    var names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = "name " + (char) ('a' + i);
    }
    return names;
  }

  private static BoardExchange.Values read(ByteBuffer message) throws Malformed {
    return BoardExchange.CODEC.readAll(new WireReader(message));
  }

  @Test
  void whatIsWrittenIsRead() throws Malformed {
    var values = new TreeMap<String, Long>();
    values.put("", Long.MIN_VALUE);
    for (String name : names(16)) {
      values.put(name, (long) name.hashCode());
    }
    var out = new WireWriter();
    var message = new BoardExchange.Values(3, values);
    BoardExchange.CODEC.write(message, out);
    assertThat(read(out.copy())).isEqualTo(message);
  }

  @Test
  void namesAreFewShortAndInOrder() {
    assertThatThrownBy(() -> read(message(names(17)))).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> read(message("x".repeat(33)))).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> read(message("b", "a"))).isInstanceOf(Malformed.class);
    assertThatThrownBy(() -> read(message("a", "a"))).isInstanceOf(Malformed.class);
  }

  @Test
  void aLengthWithoutContentIsMalformed() {
    var out = new WireWriter();
    out.count(1);
    out.count(1 << 30);
    assertThatThrownBy(() -> read(out.copy())).isInstanceOf(Malformed.class);
  }
}
