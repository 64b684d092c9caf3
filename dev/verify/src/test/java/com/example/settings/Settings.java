package com.example.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.LocalRequest;
import org.tutti.StateSink;
import org.tutti.StateSource;

/// A table of settings that is the same at all members. One thread takes the events; only it touches the table.
public final class Settings {
  private record Get(String key) implements LocalRequest<@Nullable String> {}

  private final Group group;
  private Properties table = new Properties();

  public Settings(Group group) {
    this.group = group;
    Thread.startVirtualThread(this::run);
  }

  public void put(String key, String value) throws InterruptedException, ExecutionException {
    group.multicast((key + "=" + value).getBytes(UTF_8)).get();
  }

  public @Nullable String get(String key) throws InterruptedException {
    return group.localCall(new Get(key)); // sees what this member has put before
  }

  private void run() {
    try {
      while (true) {
        switch (group.receive()) {
          case Event.Delivery(_, _, _, ByteBuffer payload) -> apply(UTF_8.decode(payload).toString());
          case Event.LocalCall call when call.request() instanceof Get get ->
              call.respond(get, table.getProperty(get.key()));
          case Event.StateRequest(_, StateSink sink) -> give(sink);
          case Event.StateOffer(_, _, StateSource source) -> take(source);
          case Event.Closed _ -> {
            return;
          }
          default -> {} // views, and when this member serves
        }
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  private void apply(String line) {
    int equals = line.indexOf('=');
    table.setProperty(line.substring(0, equals), line.substring(equals + 1));
  }

  private void give(StateSink sink) {
    try (sink) {
      table.store(sink, null);
      sink.complete(); // without this the newcomer does not accept the state
    } catch (IOException gone) {
      // The newcomer has gone, or asks another member.
    }
  }

  private void take(StateSource source) {
    var state = new Properties();
    try (source) {
      state.load(source); // reads to the end
      table = state;
    } catch (IOException incomplete) {
      // The donor has gone. Another offer follows.
    }
  }
}
