package org.tutti.romiop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.omg.CORBA.INITIALIZE;
import org.omg.CORBA.ORB;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;

/// A wrong property of a server ends its start, and is named.
class RomiopPropertiesTest {
  private static final Pattern READ = Pattern.compile("\"(tutti\\.romiop\\.[a-z_]+)\"");

  /// The properties of a server that starts.
  private static Map<String, String> right() {
    return new TreeMap<>(
        Map.of(
            "tutti.romiop.group", "counter",
            "tutti.romiop.name", "s1",
            "tutti.romiop.listen", LoopbackPorts.address(),
            "tutti.romiop.contacts", "127.0.0.1:1",
            "tutti.romiop.members", "s1,s2",
            "tutti.romiop.objects", "Counter"));
  }

  private static void start(Map<String, String> settings) {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("jacorb.orb.print_version", "off");
    properties.put("jacorb.transport.factories", "org.jacorb.orb.iiop.IIOPFactories,org.tutti.romiop.RomiopFactories");
    properties.put("jacorb.transport.server.listeners", "0");
    properties.put("org.omg.PortableInterceptor.ORBInitializerClass.tutti", "org.tutti.romiop.RomiopInitializer");
    properties.put("jacorb.orb_initializer.fail_on_error", "on");
    properties.put("jacorb.implname", "CounterServer");
    properties.put("jacorb.orb.objectKeyMap.Counter", "CounterServer/counters/main");
    properties.put("OAIAddr", "127.0.0.1");
    properties.putAll(settings);
    ORB.init(new String[0], properties).destroy();
  }

  @Test
  void rightOnesAreTaken() {
    start(right());
    Map<String, String> more = right();
    more.put("tutti.romiop.members", "s1, s2");
    more.put("tutti.romiop.recoverable", "true");
    more.put("tutti.romiop.gateway", LoopbackPorts.address());
    start(more);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          recoverble    | true           | there is no property tutti.romiop.recoverble
          recoverable   | yes            | tutti.romiop.recoverable: true or false, not yes
          insecure      | 1              | tutti.romiop.insecure: true or false, not 1
          join_timeout  | 10s            | tutti.romiop.join_timeout
          join_timeout  | -5             | tutti.romiop.join_timeout: 0 ms at least, not -5
          members       | s2,s3          | tutti.romiop.members=s2,s3: without this member's name, s1
          members       | s1,s1          | tutti.romiop.members=s1,s1: s1 is there twice
          gateway       | 0.0.0.0:17200  | tutti.romiop.gateway=0.0.0.0:17200: there is no TLS for it; only loopback
          metrics       | 0.0.0.0:17200  | tutti.romiop.metrics=0.0.0.0:17200: there is no TLS for it; only loopback
          suspect_after | 7              | tutti.romiop.suspect_after: 30 ms at least, not 7
          """)
  void aWrongOneIsNamed(String name, String value, String words) {
    Map<String, String> wrong = right();
    wrong.put("tutti.romiop." + name, value);
    assertThatThrownBy(() -> start(wrong)).isInstanceOf(INITIALIZE.class).hasMessageContaining(words);
  }

  @Test
  void aGatewayMayBeSeenByOthersWhenThatIsSaid() {
    int port = LoopbackPorts.free();
    Map<String, String> open = right();
    open.put("tutti.romiop.gateway", "0.0.0.0:" + port);
    open.put("tutti.romiop.insecure", "true");
    start(open);
    assertThatThrownBy(() -> new ServerSocket(port).close()).isInstanceOf(BindException.class);
  }

  @Test
  void allThatAreReadAreKnown() throws IOException {
    Set<String> read = new TreeSet<>();
    List<Path> sources;
    try (Stream<Path> all = Files.walk(Tree.module("romiop").resolve("src/main/java"))) {
      sources = all.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Path source : sources) {
      READ.matcher(Files.readString(source)).results().forEach(found -> read.add(found.group(1)));
    }
    assertThat(read).hasSizeGreaterThan(20);
    Map<String, String> all = right();
    read.forEach(name -> all.putIfAbsent(name, "!"));
    assertThatThrownBy(() -> start(all)).isInstanceOf(INITIALIZE.class).hasMessageNotContaining("there is no property");
  }
}
