package org.tutti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class NamesTest {
  private static final String FORGED = "ev\u001b]0;owned\u0007\nview 99 primary: forged";

  @Test
  void whatCannotBeSeenIsEscapedAndTheRestStays() {
    assertThat(Names.printable(FORGED)).isEqualTo("ev\\u001b]0;owned\\u0007\\u000aview 99 primary: forged");
    assertThat(Names.printable("Grüße, 中文 \\ 😀")).isEqualTo("Grüße, 中文 \\ 😀");
    assertThat(Names.printable("a\u202eb\u2028c\ud800d\u0085\uDB80\uDC00"))
        .isEqualTo("a\\u202eb\\u2028c\\ud800d\\u0085\\udb80\\udc00");
    for (int c = 0; c < 0x20; c++) {
      assertThat(Names.printable(Character.toString(c))).isEqualTo("\\u%04x", c);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", " a", "a\u00a0b", "a\tb", "a\nb", "\u001b[2J", "a\u202eb", "a\u200bb"})
  void noNodeHasSuchAName(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> new MemberId(name, new Address("a:1"), 1));
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named(name).settings());
    assertThatIllegalArgumentException().isThrownBy(() -> GroupConfig.builder().electorate(Set.of(name)).build());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\nb", "\u001b[2J"})
  void noClusterAndNoDomainHasSuchAName(String name) {
    assertThatIllegalArgumentException().isThrownBy(() -> Node.named("n").cluster(name).settings());
    assertThatIllegalArgumentException().isThrownBy(() -> GroupConfig.builder().domain(name).build());
  }

  @Test
  void otherNamesMayHaveBlanksAndLettersOfAnyKind() {
    assertThat(Node.named("größe-中-1").cluster("the bank").settings().cluster()).isEqualTo("the bank");
  }

  @Test
  void whatIsWrongIsSaidInOneLine() {
    assertThat(Names.faultOfNode("x".repeat(256))).isEqualTo("has 1 to 255 bytes, not 256");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named("a b").settings())
        .withMessage("a node's name has no blanks: \"a b\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Node.named(FORGED).settings())
        .withMessage("a node's name has no control characters: \"" + Names.printable(FORGED) + "\"");
  }

  @Test
  void aForgedNameIsMalformedOnTheWire() {
    assertThat(malformed(FORGED, "a:1")).isEqualTo("member");
    assertThat(malformed("a b", "a:1")).isEqualTo("member");
    assertThat(malformed("n1", "a:1\u001b[2J")).isEqualTo("member");
    assertThat(malformed("n1", "a:1")).isNull();
  }

  private static String malformed(String name, String address) {
    var out = new WireWriter();
    out.fixed(7);
    out.text(name);
    out.text(address);
    try {
      new WireReader(out.copy()).member();
      return null;
    } catch (Malformed e) {
      return e.reason();
    }
  }
}
