package org.tutti.lab.network;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The network namespaces of one network. They are called `tutti-PID-NUMBER-NODE`; those of processes that ended
/// without removing them are removed by the next network.
final class Namespaces implements AutoCloseable {
  private static final Pattern OWN = Pattern.compile("(tutti-(\\d+)-\\d+-\\S+)(?: .*)?");
  private static final AtomicInteger NETWORKS = new AtomicInteger();

  private final int number = NETWORKS.incrementAndGet();
  private final List<String> names = new ArrayList<>();
  private @Nullable Thread hook;

  /// Those that the end of this process removes, too, such as an interrupt from the keyboard.
  static Namespaces removedAtEnd() {
    var namespaces = new Namespaces();
    namespaces.hook = new Thread(namespaces::close, "remove network");
    Runtime.getRuntime().addShutdownHook(namespaces.hook);
    return namespaces;
  }

  /// Why there can be none here.
  private static Unavailable unavailable(IOException cause) {
    return cause instanceof Iproute.Missing
        ? new Unavailable(cause.getMessage(), cause)
        : new Unavailable("network namespaces, which need root, cannot be had: " + cause.getMessage(), cause);
  }

  /// Says whether this system has any.
  ///
  /// @throws Unavailable when it has none
  static void require() throws Unavailable {
    if (!System.getProperty("os.name").equals("Linux")) {
      throw new Unavailable("network namespaces are a thing of Linux, and this is " + System.getProperty("os.name"));
    }
  }

  /// What makes a network of them.
  interface Building {
    void build() throws IOException;
  }

  /// Makes a network, or nothing of it.
  ///
  /// @param building makes it
  /// @param close    removes what there is of it
  /// @throws Unavailable when it cannot be had here
  static void build(Building building, Runnable close) throws Unavailable {
    try {
      removeStale();
      building.build();
    } catch (IOException e) {
      close.run();
      throw unavailable(e);
    } catch (RuntimeException e) {
      close.run();
      throw e;
    }
  }

  /// Makes one.
  ///
  /// @return its name
  synchronized String add(String node) throws IOException {
    String name = "tutti-" + ProcessHandle.current().pid() + "-" + number + "-" + node;
    Iproute.run("netns", "add", name);
    names.add(name);
    return name;
  }

  /// Removes what processes left behind that were killed.
  private static void removeStale() throws IOException {
    for (String line : Iproute.run("netns", "list")) {
      Matcher own = OWN.matcher(line);
      if (own.matches() && ProcessHandle.of(Long.parseLong(own.group(2))).isEmpty()) {
        Iproute.run("netns", "delete", own.group(1));
      }
    }
  }

  /// The beginning of a command that runs another one inside; the process keeps its id.
  ///
  /// @param node in the order of [#add]
  synchronized List<String> at(int node) {
    return List.of("ip", "netns", "exec", names.get(node));
  }

  /// Removes them. What still runs inside keeps a world of its own without any interface to others.
  @Override
  public synchronized void close() {
    boolean interrupted = Thread.interrupted(); // they go in any case
    for (String name : names) {
      try {
        Iproute.run("netns", "delete", name);
      } catch (IOException gone) {
        // The next network tries again, when this process has ended.
      }
    }
    names.clear();
    try {
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException ending) {
      // The hook runs already, and finds nothing left.
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
