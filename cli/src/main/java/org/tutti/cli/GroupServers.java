package org.tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.GroupIds;
import org.tutti.ipc.Status;
import org.tutti.ipc.ids.GroupIdClient;
import org.tutti.replica.Client;
import org.tutti.tls.SecretFile;
import org.tutti.transport.Address;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/// The options by which commands find the servers that give out ids of groups, and passwords from files.
final class GroupServers {
  private static final int CHARACTER_BYTES_MAX = 4;

  @Option(
      names = "--servers",
      split = ",",
      paramLabel = "HOST:PORT",
      converter = AddressConverter.class,
      description = "Where the servers of `tutti ipc ids` answer clients; one that answers is enough.")
  List<Address> servers = List.of();

  @Option(
      names = "--servers-timeout",
      paramLabel = "TIME",
      defaultValue = "10s",
      converter = TimeConverter.class,
      description = "How long to wait for a server's answer: 500ms, 10s, 2m; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(10);

  /// A client, and what is wrong when it gets no answer.
  record Open(Client client, GroupIdClient ids) implements AutoCloseable {
    @Override
    public void close() {
      client.close();
    }
  }

  /// Begins to connect.
  ///
  /// @param tls the directory of the own certificate, or null
  Open open(CommandSpec spec, @Nullable Path tls) {
    if (servers.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "--servers is missing: who gives out ids of groups; or --socket");
    }
    Client.Builder settings =
        Client.of(GroupIdClient.SERVICE)
            .at(servers.stream().map(Address::text).toArray(String[]::new))
            .deadline(timeout);
    if (tls != null) {
      settings.tls(TransportOption.credentials(tls));
    }
    try {
      Client client = settings.connect();
      return new Open(client, new GroupIdClient(client));
    } catch (UncheckedIOException e) {
      throw new Failure(String.valueOf(e.getMessage()), e);
    }
  }

  /// Why a call on a group came to nothing.
  Failure failure(String what, @Nullable GroupId group, Status status) {
    return new Failure(
        switch (status) {
          case GROUP_DOES_NOT_EXIST -> "group " + group + " does not exist";
          case WRONG_PASSWORD -> "the password is not that of group " + group;
          case NO_SERVER ->
              "no server answers at "
                  + String.join(", ", servers.stream().map(Address::text).toList())
                  + " (waited "
                  + TimeConverter.show(timeout)
                  + ")";
          default -> what + ": " + status;
        });
  }

  /// Reads a password; the last line end is none of it.
  ///
  /// @param file null for no password
  static String password(@Nullable Path file) {
    if (file == null) {
      return "";
    }
    SecretFile.warn(file);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(CHARACTER_BYTES_MAX * (GroupIds.PASSWORD_MAX + 1) + 2);
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return GroupIds.requirePassword(text.replaceFirst("\\r?\\n$", ""));
    } catch (IllegalArgumentException e) {
      throw new Failure(file + ": a password has " + GroupIds.PASSWORD_MAX + " characters at most", e);
    } catch (CharacterCodingException e) {
      throw new Failure(file + ": a password is text in UTF-8", e);
    } catch (IOException e) {
      throw new Failure("no password: cannot read " + file + ": " + Failure.reason(e), e);
    }
  }

  /// Reads ids that a server gives out.
  static final class IdConverter implements ITypeConverter<GroupId> {
    @Override
    public GroupId convert(String text) {
      try {
        GroupId id = GroupId.parse(text);
        if (id.isIssued()) {
          return id;
        }
      } catch (IllegalArgumentException _) {
        // It is said below what it has to be.
      }
      throw new TypeConversionException("'" + text + "' is no id as `tutti ipc create` prints it, such as a0000000");
    }
  }
}
