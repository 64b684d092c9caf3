package org.tutti.verify.lab;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.transport.Address;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// A host of [IpcFailuresLabTest]: a process for each stage of a communication, the sender's or a member's. It does
/// what it is told on its input, `STAGE WHAT` in a line, and answers with `STAGE WHAT: OUTCOME` when it knows.
final class IpcFailureHost {
  static final int STAGES = 5;
  static final int REPLIES = 3;
  static final Duration RECEIVES = Duration.ofSeconds(4); // how long a member waits for a message
  static final Duration TAKES = Duration.ofSeconds(4); // how long a sender waits for a reply

  private final Map<Integer, IpcProcess> processes = new TreeMap<>();
  private final Map<Integer, IpcProcess.Communication> sent = new ConcurrentHashMap<>();
  private final Map<Integer, IpcProcess.Message> received = new ConcurrentHashMap<>();

  /// Arguments: where to listen, the sender's address or `-` for the sender, and how many others there are.
  public static void main(String[] args) throws Exception {
    boolean sender = args[1].equals("-");
    var transport =
        TransportProvider.named("tcp").open(TransportSettings.at(new Address(args[0] + ":0")).withTls(null, true));
    List<Address> contacts = sender ? List.of() : List.of(new Address(args[1]));
    var host = new IpcFailureHost();
    try (Ipc ipc = Ipc.open("h" + args[0], transport, contacts)) {
      for (int stage = 0; stage < STAGES; stage++) {
        IpcProcess process = ipc.process();
        host.processes.put(stage, process);
        if (!sender) {
          process.join(group(stage)).join();
        }
      }
      say("address " + ipc.address());
      if (sender) {
        ipc.heard(Integer.parseInt(args[2])).get(30, TimeUnit.SECONDS);
      }
      say("ready now");
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        host.act(Integer.parseInt(words[0]), words[1]);
      }
    }
  }

  private static GroupId group(int stage) {
    return GroupId.wellKnown(1 + stage);
  }

  private static synchronized void say(String line) {
    System.out.println(line);
  }

  private static void answer(int stage, String what, String outcome) {
    say(stage + " " + what + ": " + outcome);
  }

  private static String name(Result<?> result) {
    return result instanceof Aborted<?>(var status) ? status.name() : "done";
  }

  private void act(int stage, String what) {
    IpcProcess process = processes.get(stage);
    switch (what) {
      case "send" ->
          process
              .send(group(stage), 0, ByteBuffer.allocate(100), REPLIES)
              .thenAccept(result -> {
                if (result instanceof Done(IpcProcess.Communication communication)) {
                  sent.put(stage, communication);
                  answer(stage, what, Integer.toString(communication.count()));
                } else {
                  answer(stage, what, name(result));
                }
              });
      case "take" -> {
        IpcProcess.Communication communication = sent.get(stage);
        if (communication == null) {
          answer(stage, what, "none");
        } else {
          communication.reply(TAKES).thenAccept(result -> answer(stage, what, name(result)));
        }
      }
      case "receive" ->
          process
              .receive(RECEIVES)
              .thenAccept(result -> {
                if (result instanceof Done(IpcProcess.Message message)) {
                  received.put(stage, message);
                }
                answer(stage, what, name(result));
              });
      case "reply" -> {
        IpcProcess.Message message = received.get(stage);
        if (message == null) {
          answer(stage, what, "none");
        } else {
          message.reply(ByteBuffer.allocate(10)).thenAccept(result -> answer(stage, what, name(result)));
        }
      }
      case "end" -> {
        process.close();
        answer(stage, what, "done");
      }
      default -> throw new IllegalArgumentException(what);
    }
  }
}
