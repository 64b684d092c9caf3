package org.tutti.cli;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.transport.Address;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `tutti member`: a member that prints views and deliveries until it is stopped.
@Command(
    name = "member",
    customSynopsis = "tutti member --group NAME --listen HOST:PORT (--create | --join WHERE...) [--name N] [OPTION...]",
    description = "Becomes a member of a group; prints views and deliveries until Ctrl-C, then leaves.")
final class MemberCommand implements Callable<Integer> {
  /// Exactly one of the two.
  static final class Beginning {
    @Option(
        names = "--create",
        required = true,
        description = {
          "Create the group with this member alone, or continue the history in --data.",
          "A restart with it and without --data founds a second history; --join with --expect may stay as it is."
        })
    boolean create;

    @Option(
        names = "--join",
        required = true,
        arity = "1..*",
        split = ",",
        paramLabel = "WHERE",
        converter = Contact.Converter.class,
        description = {
          "Addresses of members; one that answers is enough. They are asked until the group is found.",
          Contact.FORMS
        })
    List<Contact> contacts = List.of();
  }

  @Mixin MemberOptions options = new MemberOptions();

  @Mixin DurabilityOptions keeping = new DurabilityOptions();

  @Mixin SpillOptions spilling = new SpillOptions();

  @ArgGroup(
      exclusive = false,
      heading =
          "%nSettings of the group. The founder decides them; a member that joins may omit them, and is refused if it"
              + " differs:%n")
  @Nullable GroupOptions founding;

  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "1")
  Beginning beginning = new Beginning();

  @Option(
      names = "--listen",
      required = true,
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "The address at which other members reach this one; port 0: any free port.")
  Address listen = new Address("-");

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description =
          "The address that others use, if it is not the one of --listen: behind a forwarded"
              + " port, or with --listen 0.0.0.0:PORT over TCP.")
  @Nullable Address advertise;

  @Option(
      names = "--expect",
      split = ",",
      paramLabel = "NAMES",
      description = {
        "With --join: the names of the members that found the group together, including this one; or their number,"
            + " 1 to 1000.",
        "They found the group when more than half of the names, or that number, are there and none knows a history"
            + " of it; otherwise this member joins it.",
        "The same at all members, at the first start and at every later one. A number must be more than half of all"
            + " members that are ever started with it."
      })
  List<String> expected = List.of();

  @Option(
      names = "--announce",
      split = ",",
      paramLabel = "WHERE",
      converter = Contact.Converter.class,
      description = "Announce this member at a registry or by multicast; --join with one of these does so anyway.")
  List<Contact> announce = List.of();

  @Option(
      names = "--health",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = {
        "Answer health checks at this address: /health/ready, /health/live, /status, /log, /metrics.",
        "Over HTTP on loopback; elsewhere over HTTPS with --tls: ready and live to anybody, the rest to who shows a"
            + " certificate of the cluster."
      })
  @Nullable Address health;

  @Option(
      names = "--ready-behind",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = TimeConverter.class,
      description =
          "With --health: not ready, although it serves, when deliveries are printed so much later than they come; 0s:"
              + " however late; default: ${DEFAULT-VALUE}.")
  Duration readyBehind = Duration.ofSeconds(30);

  @Override
  public Integer call() throws InterruptedException {
    options.keeping = keeping;
    options.spilling = spilling;
    options.founding = founding != null ? founding : new GroupOptions();
    options.describes = founding != null || keeping.fsync != null;
    options.advertise = advertise;
    options.enrols = true;
    options.announce = announce;
    options.number = number();
    options.expected = options.number > 0 ? Set.of() : Set.copyOf(expected);
    refuseWhatDoesNotGoTogether();
    Output out = options.out;
    // The port first: where it is in use, nothing is founded and nothing joined.
    try (Health.Place place = health == null ? null : Health.bind(health, options.carrier);
        var session = Session.open("member", options, listen, beginning.contacts, null)) {
      String name = session.node().self().name();
      String address = session.node().self().address().text();
      out.line(name + " listens on " + address, "listening", "name", name, "address", address);
      out.flush();
      follow(session, place, out);
    }
    return 0;
  }

  private void follow(Session session, Health.@Nullable Place place, Output out) throws InterruptedException {
    var printer = new EventPrinter(session, out);
    if (place == null) {
      printer.follow(options.timeout);
      return;
    }
    try (Health answering = place.answer(session.node(), session.group(), readyBehind)) {
      out.line("health at " + answering.address(), "health", "address", answering.address().text());
      out.flush();
      printer.follow(options.timeout);
    }
  }

  /// How many members are expected; 0 when names are, or nobody is.
  private int number() {
    String only = expected.size() == 1 ? expected.getFirst() : "";
    if (!only.matches("[-+]?[0-9]+")) {
      return 0;
    }
    var number = new BigInteger(only);
    if (number.signum() < 1 || number.bitLength() > Integer.SIZE - 1 || number.intValue() > Node.EXPECTED_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--expect: the number of members is 1 to " + Node.EXPECTED_MAX + ", not " + only);
    }
    return number.intValue();
  }

  private void refuseWhatDoesNotGoTogether() {
    try {
      options.founding.check();
      spilling.member().build();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    if (health != null) {
      options.carrier.guard(health);
    } else if (spec.commandLine().getParseResult().hasMatchedOption("--ready-behind")) {
      throw new ParameterException(spec.commandLine(), "--ready-behind needs --health");
    }
    if (advertise == null && TransportOption.isEverywhere(listen)) {
      throw new ParameterException(
          spec.commandLine(),
          "members cannot be reached at '" + listen + "': give --advertise HOST:PORT, an address of this host");
    }
    if (advertise != null && (TransportOption.isEverywhere(advertise) || advertise.text().endsWith(":0"))) {
      throw new ParameterException(spec.commandLine(), "members cannot be reached at '" + advertise + "'");
    }
    for (Contact where : announce) {
      if (where instanceof Contact.At || where instanceof Contact.Source) {
        throw new ParameterException(spec.commandLine(), "nothing can be announced at '" + where.text() + "'");
      }
    }
    if (!expected.isEmpty() && beginning.create) {
      throw new ParameterException(
          spec.commandLine(), "--expect needs --join: with --create one member founds the group alone");
    }
    if (options.expected.size() < expected.size() && options.number == 0) {
      throw new ParameterException(spec.commandLine(), "--expect names a member twice: " + String.join(",", expected));
    }
    if (!options.expected.isEmpty() && !expected.contains(options.name)) {
      throw new ParameterException(spec.commandLine(), "--expect names this member, too, by its --name");
    }
    try {
      options.config();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
