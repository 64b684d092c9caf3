package org.tutti.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.transport.TransportException;

/// A node's certificate, its private key, and the authority whose certificates it believes, from three PEM files in one
/// directory: `cert.pem` (the certificate, perhaps with a chain), `key.pem` (its key, not
/// encrypted, in PKCS #8, PKCS #1 or SEC 1) and `ca.pem` (one or more).
///
/// Both sides of a connection show a certificate, and each believes one that the authority has issued, that is valid
/// now, that is for the same cluster ([#cluster]), and that is for what it is used for ([Role]). Hosts and names in it
/// are not compared with anything: nodes are known by addresses that change, and whoever has a certificate of the
/// cluster for members is a member of it. Only TLS 1.3 is spoken. Sessions are not resumed, neither by tickets nor
/// otherwise: certificates are checked for each connection.
///
/// The files are looked at again before a handshake, at most every half second: new ones are used from then on, for
/// connections to come; a handshake in which they change may fail and is tried again by its transport. When they cannot
/// be read, because one of them is just being replaced for example, the earlier ones stay in force ([#problem]); the
/// log says it when that lasts for two seconds. It says once a day, at the start and at handshakes, that the own
/// certificate is to be renewed, when a quarter of the time for which it is valid is left, at most seven days.
///
/// For any transport: [#context] makes engines and socket factories, [#keyManager] and [#trustManager] are for
/// libraries that make their own context. All threads may use all of it.
public final class Credentials {
  /// The roles of whom a node's transport connects with: members, and nodes that may only observe. For
  /// [#load(Path, Set)], where the transport takes both apart ([TlsWire#peerRoles]).
  public static final Set<Role> NODES = Collections.unmodifiableSet(EnumSet.of(Role.MEMBER, Role.OBSERVER));

  private static final System.Logger LOG = System.getLogger(Credentials.class.getName());
  private static final long LASTING_NANOS = TimeUnit.SECONDS.toNanos(2); // longer than three files take to be replaced
  private static final Duration SOON = Duration.ofDays(7); // for one that lasts four times as long
  private static final int LAST_PART = 4; // of the time for which one that lasts less is valid
  private static final long REMIND_NANOS = TimeUnit.DAYS.toNanos(1);
  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final String[] PROTOCOLS = {"TLSv1.3"};
  private static final String ALIAS = "member";

  private final Path directory;
  private final @Nullable String trusted; // the cluster of peers, of who has no certificate of its own
  private final Set<Role> peers; // one of these roles each peer has
  private final X509ExtendedKeyManager keyManager = new OwnKey();
  private final X509ExtendedTrustManager trustManager = new OwnTrust();
  private final SSLContext context;
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicLong reloads = new AtomicLong();
  private final AtomicLong wrong = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();
  private final AtomicLong otherCluster = new AtomicLong();
  private final AtomicLong otherRole = new AtomicLong();
  private volatile PemDirectory current;
  private volatile @Nullable String problem;
  private long problemSince;
  private boolean problemTold;
  private volatile long lookedNanos = System.nanoTime();
  private volatile long remindNanos = System.nanoTime();

  private Credentials(Path directory, @Nullable String trusted, Set<Role> peers) throws IOException {
    PemDirectory first = PemDirectory.read(directory, trusted);
    this.directory = directory;
    this.trusted = trusted;
    this.peers = peers;
    this.current = first;
    remind();
    try {
      context = SeparateSessions.context(keyManager, trustManager);
    } catch (GeneralSecurityException e) {
      throw new IOException("no TLS 1.3 here: " + e.getMessage(), e);
    }
  }

  /// Reads the three files, for those who connect to members only, or are one.
  ///
  /// @param directory where they are
  /// @return credentials that follow changes of the files
  /// @throws IOException when they cannot be used, with the reason in one line that names the file
  public static Credentials load(Path directory) throws IOException {
    return load(directory, Set.of(Role.MEMBER));
  }

  /// Reads the three files, for a port of one's own: `Credentials.load(directory, Set.of(Role.CLIENT, Role.MEMBER))`
  /// for that of a service.
  ///
  /// @param directory where they are
  /// @param peers     the certificate of a peer has to be for one of these, 1 or more
  /// @return credentials that follow changes of the files
  /// @throws IOException when they cannot be used, with the reason in one line that names the file
  public static Credentials load(Path directory, Set<Role> peers) throws IOException {
    if (peers.isEmpty()) {
      throw new IllegalArgumentException("peers have to be for something");
    }
    return new Credentials(directory, null, EnumSet.copyOf(peers));
  }

  /// Reads the authority only, for a client that shows no certificate: servers have to allow that.
  ///
  /// @param directory where `ca.pem` is
  /// @param cluster   what the certificates of servers have to be for
  /// @return credentials that follow changes of the file
  /// @throws IOException when it cannot be used, with the reason in one line that names the file
  public static Credentials trusting(Path directory, String cluster) throws IOException {
    return new Credentials(directory, cluster, EnumSet.of(Role.MEMBER));
  }

  /// As [#load], for those who open a transport.
  ///
  /// @param directory where the files are
  /// @return credentials that follow changes of the files
  /// @throws TransportException when they cannot be used, with the reason in one line that names the file
  public static Credentials of(Path directory) {
    return of(directory, EnumSet.of(Role.MEMBER));
  }

  /// As [#load(Path, Set)], for those who open a transport.
  ///
  /// @param directory where the files are
  /// @param peers     the certificate of a peer has to be for one of these, 1 or more
  /// @return credentials that follow changes of the files
  /// @throws TransportException when they cannot be used, with the reason in one line that names the file
  public static Credentials of(Path directory, Set<Role> peers) {
    try {
      return load(directory, peers);
    } catch (IOException e) {
      throw new TransportException("no TLS: " + e.getMessage());
    }
  }

  /// Refuses certificates of another cluster, or for other roles, with which no member would be believed by the others.
  ///
  /// @param directory where the files are
  /// @param cluster   what they have to be for
  /// @throws TransportException when they are for another one or name none, or are not for members, or cannot be used,
  ///                            in one line
  public static void require(Path directory, String cluster) throws TransportException {
    require(directory, cluster, EnumSet.of(Role.MEMBER));
  }

  /// Refuses certificates of another cluster, or for other roles than those of which one is needed.
  ///
  /// @param directory where the files are
  /// @param cluster   what they have to be for
  /// @param wanted    for one of these roles they have to be; [#NODES] for a transport that takes observers, too
  /// @throws TransportException when they are for another one or name none, or for none of these roles, or cannot be
  ///                            used, in one line
  public static void require(Path directory, String cluster, Set<Role> wanted) throws TransportException {
    Credentials own = of(directory);
    Set<Role> roles = own.roles();
    if (Collections.disjoint(roles, wanted)) {
      String needed = Role.words(EnumSet.copyOf(wanted));
      throw new TransportException("the certificate in " + directory + " is " + isFor(roles) + ", not " + needed);
    }
    String its = own.cluster();
    if (!cluster.equals(its)) {
      String named = its == null ? "no cluster" : "cluster " + its;
      throw new TransportException("the certificate in " + directory + " is for " + named + ", not for " + cluster);
    }
  }

  /// The cluster that the own certificate is for, or, without one, that was said: members of other ones are refused.
  ///
  /// @return its name; null when the certificate names none, and then only peers that name none are believed
  public @Nullable String cluster() {
    return current.cluster();
  }

  /// What the own certificate is for.
  ///
  /// @return all roles when it names none; none without a certificate
  public Set<Role> roles() {
    X509Certificate[] chain = current.chain();
    return chain.length == 0 ? EnumSet.noneOf(Role.class) : PemDirectory.roles(chain[0]);
  }

  /// Why a node with the own certificate may only observe groups ([Role#OBSERVER]).
  ///
  /// @return a sentence that says what to do; null when it may vote
  public @Nullable String votingObjection() {
    Set<Role> roles = roles();
    if (roles.contains(Role.MEMBER) || !roles.contains(Role.OBSERVER)) {
      return null;
    }
    return "the certificate in %s is %s, not member, so this node may not vote: ".formatted(directory, isFor(roles))
        + "observe the group (Node.observe, tutti watch, tutti send), or use a certificate for the role member";
  }

  /// What is wrong with the own certificate now, as far as that can be seen here: then peers refuse it.
  ///
  /// @return words that follow "the certificate", as "is valid until 2026-01-01T00:00:00Z"; null when nothing is
  public @Nullable String fault() {
    X509Certificate[] chain = current.chain();
    if (chain.length == 0) {
      return null;
    }
    X509Certificate own = chain[0];
    Date now = new Date();
    if (now.after(own.getNotAfter())) {
      return "was valid until " + own.getNotAfter().toInstant();
    }
    return now.before(own.getNotBefore()) ? "is valid from " + own.getNotBefore().toInstant() + " on" : null;
  }

  /// How often changed files were taken into use.
  ///
  /// @return 0 at first
  public long reloads() {
    return reloads.get();
  }

  /// How long the own certificate, as it is in force, is still valid: to be warned before peers refuse it.
  ///
  /// @return a gauge in seconds, 0 when it has expired, or when there is none
  public Metric validity() {
    X509Certificate[] chain = current.chain();
    long until = chain.length == 0 ? 0 : chain[0].getNotAfter().toInstant().getEpochSecond();
    return Metric.gauge("tls.certificate.valid.seconds", "How long the own certificate is still valid.")
        .with(Math.max(0, until - Instant.now().getEpochSecond()));
  }

  /// How often a certificate of a peer was refused, for transports whose library does not tell why a handshake failed.
  ///
  /// @return by reason, and [#validity]; a copy
  public List<Metric> metrics() {
    return List.of(
        validity(),
        refused("wrong-certificate", "The peer's certificate is of another authority.", wrong),
        refused("expired-certificate", "The peer's certificate has expired, or is not valid yet.", expired),
        refused("wrong-cluster", "The peer's certificate is for another cluster.", otherCluster),
        refused("wrong-role", "The peer's certificate is for other roles.", otherRole));
  }

  private static Metric refused(String reason, String about, AtomicLong count) {
    return Metric.counter("tls.certificates.refused", about).tagged("reason", reason).with(count.get());
  }

  /// Why the files as they are now cannot be used.
  ///
  /// @return one line, or null when what they say is in force
  public @Nullable String problem() {
    return problem;
  }

  /// For engines and sockets of one's own; see [#protect] too. No session of it is ever resumed: each engine and each
  /// socket has sessions of its own. It makes no server sockets: make a socket of TLS above each accepted one.
  ///
  /// @return a context that shows the own certificate and checks that of the peer, for each connection
  public SSLContext context() {
    return context;
  }

  /// For libraries that make their own context.
  ///
  /// @return shows the own certificate
  public X509ExtendedKeyManager keyManager() {
    return keyManager;
  }

  /// For libraries that make their own context. It is not asked when a session is resumed: the library must not do so.
  ///
  /// @return checks the certificate of the peer, on both sides
  public X509ExtendedTrustManager trustManager() {
    return trustManager;
  }

  /// What both sides have to set: TLS 1.3, and a certificate of the client too.
  ///
  /// @return for servers and clients
  public SSLParameters parameters() {
    var parameters = context.getDefaultSSLParameters();
    parameters.setProtocols(PROTOCOLS);
    parameters.setNeedClientAuth(true);
    return parameters;
  }

  /// Makes one end of a connection.
  ///
  /// @param client whether it is the end that connects
  /// @return an engine that has not begun
  public SSLEngine protect(boolean client) {
    return protect(client, true);
  }

  /// Makes one end of a connection.
  ///
  /// @param client whether it is the end that connects
  /// @param asks   whether the other end, if it is a client, has to show a certificate
  /// @return an engine that has not begun
  SSLEngine protect(boolean client, boolean asks) {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(client);
    engine.setSSLParameters(parameters());
    if (!asks) {
      engine.setNeedClientAuth(false);
    }
    return engine;
  }

  /// Takes changed files into use now. Reads files; otherwise it happens within handshakes.
  ///
  /// @return whether there were usable ones
  public boolean reload() {
    lock.lock();
    try {
      lookedNanos = System.nanoTime();
      if (!current.isOutdated() && problem == null) {
        return false;
      }
      PemDirectory fresh = PemDirectory.read(directory, trusted);
      boolean changed = !fresh.sameAs(current);
      current = fresh;
      problem = null;
      if (changed) {
        reloads.incrementAndGet();
        LOG.log(System.Logger.Level.INFO, "certificates in {0}: changed files are in use", directory);
      }
      return changed;
    } catch (IOException e) {
      remember(String.valueOf(e.getMessage()));
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void remember(String what) {
    if (!what.equals(problem)) {
      problem = what;
      problemSince = lookedNanos;
      problemTold = false;
    }
    if (!problemTold && lookedNanos - problemSince > LASTING_NANOS) {
      problemTold = true;
      LOG.log(System.Logger.Level.WARNING, "certificates: {0}; the previous ones stay in use", what);
    }
  }

  private PemDirectory fresh() {
    if (System.nanoTime() - lookedNanos > LOOK_AGAIN_NANOS) {
      reload();
      remind();
    }
    return current;
  }

  /// Says, once a day, that the own certificate has to be renewed.
  private void remind() {
    X509Certificate[] chain = current.chain();
    if (chain.length == 0 || System.nanoTime() - remindNanos < 0) {
      return;
    }
    Instant until = chain[0].getNotAfter().toInstant();
    Duration part = Duration.between(chain[0].getNotBefore().toInstant(), until).dividedBy(LAST_PART);
    if (Instant.now().plus(part.compareTo(SOON) < 0 ? part : SOON).isAfter(until)) {
      remindNanos = System.nanoTime() + REMIND_NANOS;
      LOG.log(System.Logger.Level.WARNING, "the certificate in {0} is valid until {1}: renew it", directory, until);
    }
  }

  private void check(X509Certificate @Nullable [] chain, boolean client) throws CertificateException {
    try {
      believe(chain, client);
    } catch (CertificateException e) {
      AtomicLong count =
          switch (Refusal.of(e)) {
            case OTHER_CLUSTER -> otherCluster;
            case OTHER_ROLE -> otherRole;
            case OUT_OF_DATE -> expired;
            case null, default -> wrong;
          };
      count.incrementAndGet();
      throw e;
    }
  }

  private void believe(X509Certificate @Nullable [] chain, boolean client) throws CertificateException {
    PemDirectory known = fresh();
    if (chain == null || chain.length == 0) {
      throw new CertificateException("no certificate");
    }
    if (client) {
      known.trust().checkClientTrusted(chain, "UNKNOWN");
    } else {
      known.trust().checkServerTrusted(chain, "UNKNOWN");
    }
    String its = PemDirectory.cluster(chain[0]);
    if (its == null ? known.cluster() != null : !its.equals(known.cluster())) {
      throw new OtherClusterException("the certificate is for cluster " + its + ", not for " + known.cluster());
    }
    Set<Role> roles = PemDirectory.roles(chain[0]);
    if (Collections.disjoint(roles, peers)) {
      throw new OtherRoleException("the certificate is " + isFor(roles) + ", not " + Role.words(peers));
    }
  }

  private static String isFor(Set<Role> roles) {
    return roles.isEmpty() ? "for no role that is known here" : "for the role " + Role.words(roles);
  }

  /// A certificate that is good, but not for what it is used for.
  public static final class OtherRoleException extends CertificateException {
    private static final long serialVersionUID = 1L;

    OtherRoleException(String message) {
      super(message);
    }
  }

  /// A certificate that is good, but not for this cluster.
  public static final class OtherClusterException extends CertificateException {
    private static final long serialVersionUID = 1L;

    OtherClusterException(String message) {
      super(message);
    }
  }

  private final class OwnTrust extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
      check(chain, true);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
      check(chain, false);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
        throws CertificateException {
      check(chain, true);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
        throws CertificateException {
      check(chain, false);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
        throws CertificateException {
      check(chain, true);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
        throws CertificateException {
      check(chain, false);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return current.trust().getAcceptedIssuers();
    }
  }

  /// One key, which signs whatever the peer can check: with one certificate there is nothing to choose from.
  private final class OwnKey extends X509ExtendedKeyManager {
    private @Nullable String alias(String @Nullable ... types) {
      PrivateKey key = fresh().key();
      if (key == null) {
        return null;
      }
      String own = key.getAlgorithm();
      for (String type : types == null ? new String[0] : types) {
        if (type.equals(own)
            || type.startsWith("EC") && own.equals("EC")
            || type.startsWith("Ed") && own.startsWith("Ed")) {
          return ALIAS;
        }
      }
      return null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
      return alias(types);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
        String type, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
      return alias(type);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return alias(types);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return alias(type);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
      return alias(type) == null ? null : new String[] {ALIAS};
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return getClientAliases(type, issuers);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return current.chain();
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return current.key();
    }
  }
}
