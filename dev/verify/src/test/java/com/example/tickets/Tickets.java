package com.example.tickets;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;

/// The service of the guide to replicated services that is not deterministic: each command gets a ticket that is drawn.
public final class Tickets implements PassiveStateMachine {
  private final List<UUID> tickets = new ArrayList<>();

  @Override
  public Outcome execute(Command command) { // at the primary; changes nothing
    UUID drawn = UUID.randomUUID();
    ByteBuffer ticket = ByteBuffer.allocate(16).putLong(drawn.getMostSignificantBits());
    ticket.putLong(drawn.getLeastSignificantBits()).flip();
    return Outcome.done(ticket, ticket.duplicate());
  }

  @Override
  public void change(long position, ByteBuffer change) { // at all replicas
    tickets.add(new UUID(change.getLong(), change.getLong()));
  }

  @Override
  public ByteBuffer query(ByteBuffer request) {
    ByteBuffer all = ByteBuffer.allocate(16 * tickets.size());
    tickets.forEach(one -> all.putLong(one.getMostSignificantBits()).putLong(one.getLeastSignificantBits()));
    return all.flip();
  }

  @Override
  public OptionalLong digest() { // equal states, equal numbers
    return OptionalLong.of(tickets.hashCode());
  }

  @Override
  public Snapshot snapshot() {
    List<UUID> copy = List.copyOf(tickets);
    return out -> {
      var data = new DataOutputStream(out);
      for (UUID one : copy) {
        data.writeLong(one.getMostSignificantBits());
        data.writeLong(one.getLeastSignificantBits());
      }
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    tickets.clear();
    ByteBuffer all = ByteBuffer.wrap(in.readAllBytes());
    while (all.hasRemaining()) {
      tickets.add(new UUID(all.getLong(), all.getLong()));
    }
  }
}
