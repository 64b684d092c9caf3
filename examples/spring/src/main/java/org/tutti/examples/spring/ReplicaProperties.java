package org.tutti.examples.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The settings of a replica, by `tutti.` and their names. Tutti checks their values when the replica starts; an
/// application with a wrong one does not start, and says why.
///
/// @param name         of this replica, unique among them
/// @param listen       where it listens for the other replicas
/// @param clients      where it listens for clients of the service
/// @param contacts     where some other replicas listen; may have this one's, too
/// @param expecting    the names of the replicas that found the service together
/// @param tls          a directory with the certificate for the other replicas; without it only loopback goes
/// @param clientsTls   a directory with the certificate for clients, which have another cluster than replicas
/// @param data         a directory for log and snapshots; without it the state is in memory only
/// @param suspectAfter after what silence another replica is suspected
/// @param callDeadline how long a request over HTTP waits for the service
@ConfigurationProperties("tutti")
public record ReplicaProperties(
    String name,
    @DefaultValue("127.0.0.1:0") String listen,
    @DefaultValue("127.0.0.1:0") String clients,
    @DefaultValue List<String> contacts,
    @DefaultValue List<String> expecting,
    @Nullable Path tls,
    @Nullable Path clientsTls,
    @Nullable Path data,
    @DefaultValue("1s") Duration suspectAfter,
    @DefaultValue("5s") Duration callDeadline) {}
