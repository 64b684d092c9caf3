package com.example.chat;

import static java.lang.System.out;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Scanner;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.View;

/// A chat: `Chat NAME ADDRESS CONTACT...`; the contacts are the addresses of all members.
public final class Chat {
  private Chat() {}

  public static void main(String[] args) throws InterruptedException {
    String[] contacts = Arrays.copyOfRange(args, 2, args.length);
    try (Node node = Node.named(args[0]).listen(args[1]).contacts(contacts).start()) {
      Group chat = node.joinOrCreate("chat", contacts.length, GroupConfig.standard());
      Thread.startVirtualThread(() -> send(chat));
      for (boolean open = true; open; ) {
        switch (chat.receive()) {
          case Event.ViewChange(View view) ->
              out.println((view.primary() ? "primary view " : "view without quorum ") + view.members());
          case Event.Delivery(MemberId sender, _, long position, ByteBuffer payload) ->
              out.println(position + " " + sender + ": " + UTF_8.decode(payload));
          case Event.Closed(End end) -> {
            out.println("closed: " + end.words());
            open = false;
          }
          default -> {} // with other settings of the group there are more events
        }
      }
    }
  }

  private static void send(Group chat) {
    try (var lines = new Scanner(System.in, UTF_8)) {
      while (lines.hasNextLine()) {
        chat.multicast(lines.nextLine().getBytes(UTF_8)); // waits while there is no primary view
      }
      chat.leave();
    } catch (GroupClosedException | InterruptedException ended) {
      out.println("not sent: " + ended.getMessage());
    }
  }
}
