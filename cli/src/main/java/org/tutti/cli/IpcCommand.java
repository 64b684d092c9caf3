package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;
import org.tutti.transport.Refused;
import org.tutti.transport.Transport;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `tutti ipc`: questions to groups of processes, for shell scripts.
@Command(
    name = "ipc",
    customSynopsis = "tutti ipc ask|serve|host|create|destroy|ids [OPTION...]",
    description = {
      "Asks a group of processes, and answers questions: no views, no order, but a count of whom a question reached.",
      "Groups with names need not be created. Those with passwords are, by a server that gives out their ids.",
      "Programs on a machine can share one host.",
      "`tutti ipc ask --help` and so on have the options."
    },
    subcommands = {
      IpcCommand.Ask.class,
      IpcCommand.Serve.class,
      IpcHostCommand.class,
      IpcGroupCommands.Create.class,
      IpcGroupCommands.Destroy.class,
      IpcIdsCommand.class
    })
final class IpcCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "ask, serve, host, create, destroy or ids is missing");
  }

  /// Which group: one of the two.
  static final class Which {
    @Option(
        names = "--group",
        required = true,
        paramLabel = "NAME",
        converter = MemberOptions.NameConverter.class,
        description = "The group: any name; nobody has to create it.")
    @Nullable String group;

    @Option(
        names = "--id",
        required = true,
        paramLabel = "ID",
        converter = GroupServers.IdConverter.class,
        description = {
          "The group, as `tutti ipc create` has printed it. Needs --servers, here or at the host that is used."
        })
    @Nullable GroupId id;

    GroupId group() {
      return id != null ? id : GroupId.named(String.valueOf(group));
    }

    void check(CommandSpec spec, @Nullable Path password) {
      if (id == null && password != null) {
        throw new ParameterException(spec.commandLine(), "a group with a name has no password: give --id");
      }
    }

    @Override
    public String toString() {
      return id != null ? "group " + id : "group \"" + group + "\"";
    }
  }

  /// What every host needs.
  static final class HostOptions {
    @Option(
        names = "--name",
        paramLabel = "N",
        converter = MemberOptions.NameConverter.OfNode.class,
        description = "This host's name, unlike those of all others; default: the command and the process id.")
    @Nullable String name;

    @Option(
        names = "--cluster",
        paramLabel = "NAME",
        defaultValue = "tutti",
        converter = MemberOptions.NameConverter.class,
        description = "Hosts of other clusters are not heard; default: ${DEFAULT-VALUE}.")
    String cluster = "tutti";

    @Mixin GroupServers servers = new GroupServers();

    @Mixin TransportOption carrier = new TransportOption();

    @Mixin Output out = new Output();

    @Mixin Settings.Options settings = new Settings.Options();

    @Option(names = "--verbose", description = "Print stack traces of errors.")
    boolean verbose;

    String name(String command) {
      return MemberOptions.nodeName(name, command);
    }

    /// Who knows about a group: null for one with a name, which needs no server.
    GroupServers.@Nullable Open server(CommandSpec spec, Which which, @Nullable Path password) {
      which.check(spec, password);
      return which.id != null ? servers.open(spec, carrier.tls()) : null;
    }

    Ipc open(String command, Address listen, List<Address> hosts, GroupServers.@Nullable Open server) {
      Transport transport = carrier.open(listen, null, cluster, Profile.LAN);
      return server == null
          ? Ipc.open(name(command), cluster, transport, hosts)
          : Ipc.open(name(command), cluster, transport, hosts, server.ids());
    }
  }

  /// Where other hosts are.
  static final class Joined {
    @Option(
        names = "--join",
        arity = "1..*",
        split = ",",
        paramLabel = "WHERE",
        converter = Contact.Converter.class,
        description = "Other hosts: HOST:PORT; file:PATH, dns:NAME:PORT or srv:NAME, which are asked once.")
    List<Contact> join = List.of();

    /// Where hosts are, each source asked once.
    List<Address> addresses() throws InterruptedException {
      var addresses = new LinkedHashSet<Address>();
      for (Contact contact : join) {
        switch (contact) {
          case Contact.At at -> addresses.add(at.address());
          case Contact.Source source -> {
            try {
              addresses.addAll(source.discovery().find());
            } catch (IOException e) {
              throw Failure.ofFile(e);
            }
          }
          default ->
              throw new Failure("hosts are not found by " + contact.text() + ": give HOST:PORT, file:, dns: or srv:");
        }
      }
      if (addresses.isEmpty()) {
        throw new Failure("no host is found at " + texts());
      }
      return List.copyOf(addresses);
    }

    String texts() {
      return String.join(", ", join.stream().map(Contact::text).toList());
    }
  }

  /// How to reach other hosts for one question.
  static final class Hosts {
    @Mixin Joined others = new Joined();

    @Option(
        names = "--listen",
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description = "Where hosts reach this one; default: a free port towards the first host.")
    @Nullable Address listen;

    @Option(
        names = "--timeout",
        paramLabel = "TIME",
        defaultValue = "1s",
        converter = TimeConverter.class,
        description = {
          "How long to look for the hosts of --join, all of them, and then how long to take replies:",
          "500ms, 10s, 2m; default: ${DEFAULT-VALUE}."
        })
    Duration timeout = Duration.ofSeconds(1);

    /// Where this host is.
    Address own(List<Address> others) {
      return listen != null ? listen : Session.facing(others.getFirst().text());
    }

    /// Waits for all hosts, and goes on with those that are there.
    void await(Ipc ipc, int hosts) throws InterruptedException {
      try {
        ipc.heard(hosts).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException | ExecutionException _) {
        if (ipc.hosts().isEmpty()) {
          List<Refused> by = ipc.refused();
          String problem = by.isEmpty() ? "nobody answers at " + others.texts() : "refused by " + Session.texts(by);
          throw new Failure(problem + " (waited " + TimeConverter.show(timeout) + ")");
        }
      }
    }
  }

  /// `tutti ipc ask`: sends a question, and prints the replies.
  @Command(
      name = "ask",
      customSynopsis = "tutti ipc ask [OPTION...] (--group NAME | --id ID) (--join WHERE... | --socket PATH) QUESTION",
      description = {
        "Sends a question to all processes of a group, and prints each reply behind the name of its host.",
        "Fails when it reached nobody, or when fewer replies than wanted came in time."
      })
  static final class Ask implements Callable<Integer> {
    private static final int REPLIES_MAX = 1024; // as a process takes them

    @ArgGroup(multiplicity = "1")
    Which which = new Which();

    @Mixin HostOptions options = new HostOptions();

    @Mixin Hosts hosts = new Hosts();

    @Mixin HostSocket shared = new HostSocket();

    @Option(
        names = "--replies",
        paramLabel = "N",
        description = "How many replies are wanted, 1 to 1024; default: as many as processes were reached.")
    @Nullable Integer replies;

    @Option(
        names = "--send-password-file",
        paramLabel = "FILE",
        description = "With --id: the group's send password, where it has one.")
    @Nullable Path sendPassword;

    @Parameters(paramLabel = "QUESTION", description = "The message.")
    String question = "";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
      if (replies != null && (replies < 1 || replies > REPLIES_MAX)) {
        throw new ParameterException(spec.commandLine(), "--replies: 1 to " + REPLIES_MAX + ", not " + replies);
      }
      String password = GroupServers.password(sendPassword);
      if (shared.isGiven(spec)) {
        which.check(spec, sendPassword);
        try (HostSocket.At host = shared.attach()) {
          return asked(host.process().get(), password);
        }
      }
      if (hosts.others.join.isEmpty()) {
        throw new ParameterException(spec.commandLine(), "--join is missing: the hosts to ask; or --socket");
      }
      List<Address> all = hosts.others.addresses();
      try (GroupServers.Open server = options.server(spec, which, sendPassword);
          Ipc ipc = options.open("ask", hosts.own(all), all, server)) {
        hosts.await(ipc, all.size());
        return asked(ipc.process(), password);
      }
    }

    private Integer asked(IpcProcess process, String password) {
      if (!password.isEmpty() && process.authorize(which.group(), password).join() instanceof Aborted(Status status)) {
        throw shared.failure(options.servers, "not allowed to send", which.group(), status);
      }
      ByteBuffer bytes = ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8));
      var ask = process.ask(which.group(), bytes);
      return printed(ask.replies(replies != null ? replies : REPLIES_MAX, hosts.timeout).join());
    }

    private Integer printed(Result<Answers> result) {
      switch (result) {
        case Done(Answers answers) -> {
          for (Reply reply : answers.replies()) {
            options.out.said("reply", reply.member().host().name(), reply.payload());
          }
          int came = answers.replies().size();
          if (options.out.json) {
            options.out.line("", "answers", "reached", answers.count(), "replies", came);
          }
          options.out.flush();
          int wanted = replies != null ? replies : answers.count();
          if (came < wanted) {
            throw new Failure(
                came
                    + " of "
                    + wanted
                    + " replies in "
                    + TimeConverter.show(hosts.timeout)
                    + "; processes reached: "
                    + answers.count());
          }
        }
        case Aborted(Status status) -> throw notSent(status);
      }
      return 0;
    }

    private Failure notSent(Status status) {
      return switch (status) {
        case NO_MEMBERS ->
            new Failure(
                "no process of "
                    + which
                    + (shared.socket == null
                        ? " at " + hosts.others.texts()
                        : " is heard by the host at " + shared.where()));
        case WRONG_PASSWORD -> new Failure("not sent: " + which + " has a send password; give --send-password-file");
        default -> shared.failure(options.servers, "not sent", which.group(), status);
      };
    }
  }

  /// `tutti ipc serve`: answers questions by a program.
  @Command(
      name = "serve",
      customSynopsis =
          "tutti ipc serve [OPTION...] (--group NAME | --id ID) (--listen HOST:PORT | --socket PATH)"
              + " [-- PROGRAM [ARG...]]",
      description = {
        "Joins a group as a process, prints each question, and answers it, until Ctrl-C.",
        "PROGRAM gets the question on standard input; what it prints, without the last line end, is the reply, and if "
            + "it fails there is none. Without a program the reply is the name of the host."
      })
  static final class Serve implements Callable<Integer> {
    private static final Duration TURN = Duration.ofMinutes(1); // of a receive that is repeated without end
    private static final int REPLY_BYTES_MAX = 1 << 20;

    @ArgGroup(multiplicity = "1")
    Which which = new Which();

    @Mixin HostOptions options = new HostOptions();

    @Option(
        names = "--listen",
        paramLabel = "HOST:PORT",
        converter = AddressConverter.class,
        description = "Where others reach this host; port 0: any free port.")
    @Nullable Address listen;

    @Mixin HostSocket shared = new HostSocket();

    @Option(
        names = "--timeout",
        paramLabel = "TIME",
        defaultValue = "10s",
        converter = TimeConverter.class,
        description = "How long the program may take for a reply: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
    Duration timeout = Duration.ofSeconds(10);

    @Option(
        names = "--password-file",
        paramLabel = "FILE",
        description = "With --id: the group's control password; without it: the empty one.")
    @Nullable Path password;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..*", paramLabel = "PROGRAM", description = "A program and its arguments.")
    List<String> program = List.of();

    private volatile boolean signalled;

    @Override
    public Integer call() throws InterruptedException {
      String text = GroupServers.password(password);
      if (shared.isGiven(spec)) {
        which.check(spec, password);
        try (HostSocket.At host = shared.attach()) {
          serve(host, text, shared.where());
        }
        return 0;
      }
      if (listen == null) {
        throw new ParameterException(
            spec.commandLine(), "--listen is missing: where others reach this host; or --socket");
      }
      try (GroupServers.Open server = options.server(spec, which, password);
          Ipc ipc = options.open("serve", listen, List.of(), server)) {
        serve(HostSocket.At.own(ipc, options.name("serve")), text, ipc.address().text());
      }
      return 0;
    }

    private void serve(HostSocket.At host, String text, String where) throws InterruptedException {
      Thread hook = Thread.ofPlatform().name("signal").unstarted(() -> onSignal(host));
      Runtime.getRuntime().addShutdownHook(hook);
      try {
        answerAll(host, text, where);
      } catch (CompletionException | IllegalStateException e) {
        if (!signalled) {
          throw e;
        }
      } finally {
        Session.forget(hook);
      }
    }

    /// To be stopped is the success of a command that runs until then.
    private void onSignal(HostSocket.At host) {
      signalled = true;
      host.close();
      Runtime.getRuntime().halt(0);
    }

    private void answerAll(HostSocket.At host, String text, String where) throws InterruptedException {
      IpcProcess process = host.process().get();
      if (process.join(which.group(), text).join() instanceof Aborted(Status status)) {
        throw shared.failure(options.servers, "cannot join", which.group(), status);
      }
      options.out.line("ready at " + where, "ready", shared.socket != null ? "socket" : "listen", where);
      options.out.flush();
      while (true) {
        switch (process.receive(TURN).join()) {
          case Done(Message message) -> {
            options.out.said("question", message.sender().host().name(), message.payload());
            options.out.flush();
            answer(message, host.name());
          }
          case Aborted(Status status) -> {
            if (status == Status.GROUP_DOES_NOT_EXIST) {
              throw new Failure(which + " was destroyed");
            }
            if ((status == Status.HOST_DEAD || status == Status.HARDWARE_FAIL) && !signalled) {
              throw shared.failure(options.servers, "not served", which.group(), status);
            }
          }
        }
      }
    }

    /// Whoever asks takes the reply when it likes; the next question does not wait for that.
    private void answer(Message message, String host) throws InterruptedException {
      try {
        byte[] own = host.getBytes(StandardCharsets.UTF_8);
        byte[] reply = program.isEmpty() ? own : run(message.payload());
        message.reply(ByteBuffer.wrap(reply));
      } catch (Failure none) {
        System.err.println("tutti ipc serve: no reply: " + none.getMessage());
      }
    }

    private void begin(Runnable task) {
      Thread.ofPlatform().daemon().name("ipc program").start(task);
    }

    private byte[] run(ByteBuffer question) throws InterruptedException {
      Process process;
      try {
        process = new ProcessBuilder(program).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      } catch (IOException e) {
        throw new Failure("cannot run " + program.getFirst() + ": " + e.getMessage(), e);
      }
      byte[] bytes = new byte[question.remaining()];
      question.get(bytes);
      // A thread each, as what the program has left behind may keep its output open; not virtual ones, whose carriers
      // pipes hold.
      begin(() -> write(process, bytes));
      var said = CompletableFuture.supplyAsync(() -> read(process), this::begin);
      long start = System.nanoTime();
      try {
        byte[] reply = said.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (reply.length > REPLY_BYTES_MAX) {
          throw new Failure(program.getFirst() + " printed more than a reply may have, " + REPLY_BYTES_MAX + " bytes");
        }
        if (!process.waitFor(timeout.toNanos() - (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
          throw new TimeoutException(); // it has closed its output, and goes on
        }
        if (process.exitValue() != 0) {
          throw new Failure(program.getFirst() + " ended with " + process.exitValue());
        }
        boolean ended = reply.length > 0 && reply[reply.length - 1] == '\n';
        return Arrays.copyOf(reply, ended ? reply.length - 1 : reply.length);
      } catch (TimeoutException e) {
        throw new Failure(program.getFirst() + " took more than " + TimeConverter.show(timeout), e);
      } catch (ExecutionException e) {
        throw new Failure(String.valueOf(e.getCause().getMessage()), e);
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    }

    /// A program need not read its question.
    private static void write(Process process, byte[] bytes) {
      try (OutputStream in = process.getOutputStream()) {
        in.write(bytes);
      } catch (IOException _) {
        // It has closed its standard input.
      }
    }

    private static byte[] read(Process process) {
      try (InputStream out = process.getInputStream()) {
        return out.readNBytes(REPLY_BYTES_MAX + 2);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
