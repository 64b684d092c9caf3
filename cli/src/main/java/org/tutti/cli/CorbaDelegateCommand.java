package org.tutti.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import org.tutti.transport.Address;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `tutti corba delegate`: a member for servants of another ORB.
@Command(
    name = "delegate",
    customSynopsis =
        "tutti corba delegate --name N --listen HOST:PORT --join HOST:PORT,... --expect NAMES --group G --objects"
            + " KEY,... --delivery FILE [OPTION...]",
    description = {
      "Runs a member of a group of CORBA objects for servants in another process, of any ORB and in any language, until"
          + " Ctrl-C: it delivers the requests of the group to them over IIOP, in order, one after the other.",
      "When that process is gone or does not answer, the member leaves the group and the command ends; start both"
          + " again then. With --recoverable they get the state of the others."
    })
final class CorbaDelegateCommand implements Callable<Integer> {
  private static final String TOOL = "tutti-corba-delegate";
  private static final Duration PATIENCE_MIN = Duration.ofMillis(10);
  private static final Duration PATIENCE_MAX = Duration.ofHours(1);

  @Mixin NodeOptions own = new NodeOptions();

  @Option(
      names = "--join",
      required = true,
      split = ",",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the members listen; its own address does no harm. They are also in references.")
  List<Address> join = List.of();

  @Option(
      names = "--expect",
      required = true,
      split = ",",
      paramLabel = "NAMES",
      converter = MemberOptions.NameConverter.OfNode.class,
      description = "The names of the members that found the group together; the same at all.")
  List<String> expected = List.of();

  @Option(
      names = "--group",
      required = true,
      paramLabel = "G",
      converter = MemberOptions.NameConverter.class,
      description = "The group of objects.")
  String group = "";

  @Option(
      names = "--objects",
      required = true,
      split = ",",
      paramLabel = "KEY",
      description = "The keys by which clients call the objects; the same at all members.")
  List<String> objects = List.of();

  @Option(
      names = "--delivery",
      required = true,
      paramLabel = "FILE",
      description = "The file to which the process of the servants has written the reference to its Tutti::Delivery.")
  Path delivery = Path.of("");

  @Option(
      names = "--delivery-timeout",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = TimeConverter.class,
      description = {
        "How long the servants may take for a request, 10ms to 60m, before this member leaves the group; default:"
            + " ${DEFAULT-VALUE}."
      })
  Duration patience = Duration.ofSeconds(30);

  @Option(
      names = "--recoverable",
      description = {
        "The objects have get_state and set_state: a member that comes late or again gets the state of the others."
            + " The same at all members; without it only members from the beginning take part."
      })
  boolean recoverable;

  @Option(
      names = "--gateway",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where this member listens for clients of any ORB, over IIOP without TLS; default: it does not.")
  @Nullable Address gateway;

  @Option(
      names = "--gateways",
      split = ",",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "The --gateway of all members, for references, the same at all; default: this one's only.")
  List<Address> gateways = List.of();

  @Option(
      names = "--group-service",
      paramLabel = "FILE",
      description = {
        "With --gateway: the file with the reference to the group service. Clients that say which version of the"
            + " reference they have (FT_GROUP_VERSION) get the newest one."
      })
  @Nullable Path groupService;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Show Prometheus the metrics of this member at http://HOST:PORT/metrics; default: it does not.")
  @Nullable Address metrics;

  @Option(
      names = "--references",
      paramLabel = "DIR",
      description = "Write the references to the objects of the group to this directory, as KEY.ior.")
  @Nullable Path references;

  @Option(
      names = "--tls",
      paramLabel = "DIR",
      description = "Encrypt, and speak only with members and clients that have certificates, too; DIR has the own.")
  @Nullable Path tls;

  @Option(
      names = "--insecure",
      description = "Without --tls, allow other addresses than loopback: whatever reaches the port is trusted.")
  boolean insecure;

  @Mixin Settings.Options settings = new Settings.Options();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    if (patience.compareTo(PATIENCE_MIN) < 0 || patience.compareTo(PATIENCE_MAX) > 0) {
      throw new Failure("--delivery-timeout is 10ms to 60m, not " + TimeConverter.show(patience));
    }
    TransportOption.guard(own.listen, tls, insecure);
    ToolProvider tool =
        ToolProvider.findFirst(TOOL)
            .orElseThrow(() -> new Failure("this installation has no CORBA: the module tutti-romiop is not there"));
    var ended = new CountDownLatch(1);
    Thread running = Thread.currentThread();
    Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(running, ended));
    Runtime.getRuntime().addShutdownHook(hook);
    var errors = new StringWriter();
    int code = tool.run(new PrintWriter(System.out), new PrintWriter(errors, true), properties());
    String name = spec.qualifiedName();
    errors.toString().lines().forEach(line -> spec.commandLine().getErr().println(name + ": " + Names.printable(line)));
    ended.countDown();
    Session.forget(hook);
    return code;
  }

  /// To be stopped is the success of a command that runs until then.
  private static void onSignal(Thread running, CountDownLatch ended) {
    running.interrupt();
    try {
      ended.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(0);
  }

  private String[] properties() {
    List<String> all = new ArrayList<>();
    all.add("tutti.romiop.name=" + own.name);
    all.add("tutti.romiop.cluster=" + own.cluster);
    all.add("tutti.romiop.group=" + group);
    all.add("tutti.romiop.listen=" + own.listen.text());
    all.add("tutti.romiop.contacts=" + texts(join));
    all.add("tutti.romiop.members=" + String.join(",", expected));
    all.add("tutti.romiop.objects=" + String.join(",", objects));
    all.add("tutti.romiop.delivery=" + delivery);
    all.add("tutti.romiop.delivery_timeout=" + patience.toMillis());
    all.add("tutti.romiop.recoverable=" + recoverable);
    all.add("tutti.romiop.suspect_after=" + own.suspectAfter.toMillis());
    all.add("tutti.romiop.insecure=" + insecure);
    if (tls != null) {
      all.add("tutti.romiop.tls=" + tls);
    }
    if (gateway != null) {
      all.add("tutti.romiop.gateway=" + gateway.text());
    }
    if (!gateways.isEmpty()) {
      all.add("tutti.romiop.gateways=" + texts(gateways));
    }
    if (groupService != null) {
      all.add("tutti.romiop.group_service=" + groupService);
    }
    if (metrics != null) {
      all.add("tutti.romiop.metrics=" + metrics.text());
    }
    if (references != null) {
      all.add("tutti.romiop.references=" + references);
    }
    return all.toArray(String[]::new);
  }

  private static String texts(List<Address> addresses) {
    return addresses.stream().map(Address::text).collect(Collectors.joining(","));
  }
}
