package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.jacorb.orb.CDROutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.tutti.fixture.Tree;

/// What servants in C++ answer by `delivery.h` is, byte for byte, what JacORB writes for the same values.
@Tag("deep")
class RomiopRepliesTest {
  private static final int FILLED = 100;

  @TempDir private Path directory;

  @Test
  void repliesOfServantsInCppAreThoseOfJacorb() throws Exception {
    Path sources = Tree.root().resolve("dev/verify/src/test/cpp");
    List<Path> idl = List.of(sources.resolve("shapes.idl"), IiopPrograms.DELIVERY);
    Process program = IiopPrograms.start(IiopPrograms.compiled(directory, idl, sources.resolve("shapes.cc")));
    List<String> said = new String(program.getInputStream().readAllBytes(), UTF_8).lines().toList();
    assertThat(program.waitFor()).isZero();

    String values = "mixed 0 " + written(RomiopRepliesTest::values);
    String filled = "filled 0 " + written(RomiopRepliesTest::filled);
    assertThat(said)
        .containsExactly(
            "Shape IDL:Shapes/Shape:1.0 0",
            values,
            values,
            filled,
            values,
            values,
            filled,
            "wide 0 " + written(out -> out.write_wstring("gr\u00fcn \u20ac")),
            "refuse 1 " + written(RomiopRepliesTest::refused),
            "fail 2 " + written(RomiopRepliesTest::failed),
            "used 1",
            "expected 1",
            "expected 1",
            "other life");
  }

  private static String written(Consumer<CDROutputStream> values) {
    Properties properties = new Properties();
    properties.setProperty("jacorb.orb.print_version", "off");
    ORB orb = ORB.init(new String[0], properties);
    try (CDROutputStream out = new CDROutputStream(orb)) {
      out.setGIOPMinor(2);
      values.accept(out);
      return HexFormat.of().formatHex(out.getBufferCopy());
    } finally {
      orb.destroy();
    }
  }

  private static void values(CDROutputStream out) {
    out.write_octet((byte) 1);
    out.write_long(2);
    out.write_octet((byte) 3);
    out.write_double(0.1);
    out.write_string("text");
    out.write_short((short) -6);
    out.write_longlong(0x0102030405060708L);
  }

  private static void filled(CDROutputStream out) {
    byte[] all = new byte[FILLED];
    Arrays.fill(all, (byte) 0xee);
    out.write_long(FILLED);
    out.write_octet_array(all, 0, FILLED);
  }

  private static void refused(CDROutputStream out) {
    out.write_string("IDL:Shapes/Refused:1.0");
    out.write_octet((byte) 7);
    out.write_longlong(-1);
  }

  private static void failed(CDROutputStream out) {
    out.write_string("IDL:omg.org/CORBA/NO_PERMISSION:1.0");
    out.write_long(0x4711);
    out.write_long(1); // it was not executed
  }
}
