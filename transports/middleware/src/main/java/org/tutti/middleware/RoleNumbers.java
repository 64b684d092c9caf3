package org.tutti.middleware;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Names;
import org.tutti.transport.Address;
import org.tutti.transport.RoleRegistration;

/// Numbers by roles from a registry that only binds names, as those of Java RMI and CORBA do: their users agree on the
/// numbers by the names that they bind.
///
/// ```
/// 3                                   a claim: somebody takes the number 3
/// NAME server 3 1798000000 @ ADDRESS  an entry: NAME has it, and said so last at that second
///
/// claim   bind 3, which only one can; bind the entry; list: no other entry has 3?   otherwise unbind both, next number
/// renew   bind the entry with the time; list: the one before was still there?       then unbind that one
/// leave   unbind the entry, then the claim
/// ```
///
/// **One number, one process.** An entry is bound before its process lists, and two entries of a number are two binds,
/// one of which is later: the process that made it sees the other one and gives way. So a number is never told to two,
/// whoever crashes, stands still or removes a claim. The claim is for speed: of processes that begin at once each gets
/// a number of its own at the first attempt.
///
/// **Crashes.** Who crashes before its entry leaves a claim without one: any process removes it that has seen it so for
/// the time of a lease. Who crashes later leaves an entry that does not change any more. Its number is kept for its
/// name as long as the role has others that are free; then it is given to the next process. Clocks are not compared:
/// each process measures by its own how long a name has been unchanged.
///
/// **A registry that has forgotten everything** is filled again by processes that renew. A process whose number was
/// taken by a newcomer before it renewed gets another one.
public final class RoleNumbers implements RoleRegistration {
  private static final Pattern CLAIM = Pattern.compile("\\d{1,9}");
  private static final Pattern ENTRY = Pattern.compile("(\\S{1,255}) (client|server) (\\d{1,9}) (\\d{1,18})");
  private static final int NUMBER_MAX = 999_999_999;

  /// As many processes may be faster in a row.
  private static final int ATTEMPTS_MAX = 1000;

  /// A claim that was in the way is there afterwards, or its owner has just left; but hardly three times in a row.
  private static final int REFUSALS_MAX = 3;

  /// A registry of names, or one place in it for the members of one group.
  public interface Bindings extends AutoCloseable {
    /// Binds a name that is not bound, in one step.
    ///
    /// @param name the name
    /// @return false when it is bound already, or the registry does not let this process bind names
    /// @throws IOException when there is no answer; the message says why, in one line
    boolean bind(Name name) throws IOException;

    /// Unbinds a name; nothing happens when it is not bound.
    ///
    /// @param name the name
    /// @throws IOException when there is no answer; the message says why, in one line
    void unbind(Name name) throws IOException;

    /// All names that are bound: those too that somebody else has bound before this was called.
    ///
    /// @return in any order
    /// @throws IOException when there is no answer, or not for all; the message says why, in one line
    List<Name> list() throws IOException;

    /// Why it may refuse a name that is not bound.
    ///
    /// @return one line
    String refusal();

    @Override
    void close();
  }

  /// A name that may be bound.
  ///
  /// @param text    who or what is there
  /// @param address where it listens; empty for what does not
  public record Name(String text, String address) {
    private static final Pattern ADDRESS = Pattern.compile("[\\w.:\\[\\]%-]{1,200}:\\d{1,5}");

    /// Whether something that stands in a registry may be an address.
    ///
    /// @param text anything
    /// @return whether it has the form `host:port`
    public static boolean isAddress(String text) {
      return ADDRESS.matcher(text).matches();
    }
  }

  record Entry(Name bound, Registrant registrant, long second) {
    boolean isOf(String name) {
      return registrant.name().equals(name);
    }
  }

  private final Bindings bindings;
  private final Registrant self; // its number is not yet known
  private final int clientsMax;
  private final int servers;
  private final LongSupplier nanos;
  private final long firstNanos;
  private final long firstSecond;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Name, Long> unchanged = new HashMap<>(); // others' entries, and claims without one: since when
  private long id = -1;
  private long unanswered = -1; // a claim that may be this process's
  private @Nullable Name mine; // the entry that was bound last

  /// Registers when it is asked for the first time.
  ///
  /// @param bindings   the registry; belongs to this from now on
  /// @param self       who registers; its number is not looked at
  /// @param clientsMax how many clients there may be at a time, 0 or more; the same at all processes
  /// @param servers    how many servers are expected, 1 or more; the same at all processes
  public RoleNumbers(Bindings bindings, Registrant self, int clientsMax, int servers) {
    this(bindings, self, clientsMax, servers, System::nanoTime);
  }

  RoleNumbers(Bindings bindings, Registrant self, int clientsMax, int servers, LongSupplier nanos) {
    if (clientsMax < 0 || servers < 1) {
      throw new IllegalArgumentException(
          "there are 0 or more clients and 1 or more servers, not " + clientsMax + " and " + servers);
    }
    Names.require("a process's", self.name(), Names.faultOfNode(self.name()));
    this.bindings = bindings;
    this.self = self;
    this.clientsMax = clientsMax;
    this.servers = servers;
    this.nanos = nanos;
    this.firstNanos = nanos.getAsLong();
    this.firstSecond = TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
  }

  /// Who registers in a role with what a discovery knows of it.
  ///
  /// @param role what it is
  /// @param name its name; null for who only looks
  /// @param own  where it listens; null for who only looks
  /// @return without a number
  /// @throws IllegalStateException    when it only looks
  /// @throws IllegalArgumentException when the address is not of the form `host:port`
  public static Registrant registrant(Role role, @Nullable String name, @Nullable Address own) {
    if (name == null || own == null) {
      throw new IllegalStateException("an onlooker registers in no role");
    }
    if (!Name.isAddress(own.text())) {
      throw new IllegalArgumentException("not of the form host:port: " + own);
    }
    return new Registrant(0, role, name, own);
  }

  @Override
  public State register() throws IOException {
    lock.lock();
    try {
      return state(renewed());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<Address> find() throws IOException {
    return renewed().all.stream()
        .map(Name::address)
        .filter(address -> !address.isEmpty())
        .distinct()
        .limit(FOUND_MAX)
        .map(Address::new)
        .toList();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      for (Entry entry : look().own()) {
        if (entry.registrant.address().equals(self.address())) {
          bindings.unbind(entry.bound);
          bindings.unbind(claim(entry.registrant.id()));
        }
      }
    } catch (IOException _) {
      // What cannot be unbound counts as crashed after the lease.
    } finally {
      lock.unlock();
      bindings.close();
    }
  }

  private Listing renewed() throws IOException {
    lock.lock();
    try {
      Name before = mine;
      if (before == null) {
        return claim(look());
      }
      Name now = entry(self, id, second());
      if (!now.equals(before)) {
        bindings.bind(now);
      }
      Listing listing = look();
      if (!listing.all.contains(before)) { // forgotten by the registry, or given away
        mine = null;
        refuseIfOutlived(listing, now);
        return claim(listing);
      }
      mine = now;
      for (long number : listing.claims) {
        if (isOver(claim(number))) {
          bindings.unbind(claim(number));
        }
      }
      for (Entry entry : listing.own()) {
        if (entry.registrant.address().equals(self.address()) && !entry.bound.equals(now)) {
          bindings.unbind(entry.bound);
        }
      }
      return listing;
    } finally {
      lock.unlock();
    }
  }

  private void refuseIfOutlived(Listing listing, Name now) throws IOException {
    if (listing.own().stream().anyMatch(entry -> !entry.registrant.address().equals(self.address()))) {
      bindings.unbind(now);
      throw new IOException("a later life of " + self.name() + " is registered");
    }
  }

  private Listing claim(Listing first) throws IOException {
    Listing listing = first;
    int refusals = 0;
    for (int attempt = 0; attempt < ATTEMPTS_MAX && refusals < REFUSALS_MAX; attempt++) {
      long kept = listing.kept();
      long number = kept >= 0 ? kept : listing.free();
      Name claim = claim(number);
      Name entry = entry(self, number, second());
      unanswered = number;
      boolean claimed = bindings.bind(claim);
      unanswered = -1;
      if (!claimed && kept < 0) {
        listing = look();
        refusals = listing.claims.contains(number) ? 0 : refusals + 1;
        continue; // somebody was faster
      }
      bindings.bind(entry);
      listing = look();
      boolean isBound = listing.all.contains(entry);
      if (isBound && !listing.isOthers(number)) {
        id = number;
        mine = entry;
        listing.unbindOwn(entry);
        return listing;
      }
      refusals = isBound ? 0 : refusals + 1;
      bindings.unbind(entry);
      if (claimed) {
        bindings.unbind(claim);
      }
      listing = look();
    }
    throw new IOException(
        refusals > 0
            ? bindings.refusal()
            : "other processes were " + ATTEMPTS_MAX + " times faster in taking a number");
  }

  private State state(Listing listing) {
    var latest = new TreeMap<String, Entry>();
    for (Entry entry : listing.entries) {
      boolean isPresent = entry.isOf(self.name()) ? entry.bound.equals(mine) : !isOver(entry.bound);
      if (isPresent) {
        latest.merge(entry.registrant.name(), entry, (one, other) -> one.second > other.second ? one : other);
      }
    }
    List<Registrant> present =
        latest.values().stream().map(Entry::registrant).sorted(Comparator.comparingLong(Registrant::id)).toList();
    long there = present.stream().filter(one -> one.role() == Role.SERVER).mapToLong(Registrant::id).distinct().count();
    return new State(id, servers, there >= servers, present);
  }

  private Listing look() throws IOException {
    var listing = new Listing(bindings.list());
    var watched = new HashSet<Name>();
    for (Entry entry : listing.entries) {
      if (!entry.isOf(self.name())) {
        watched.add(entry.bound);
      }
    }
    Set<Long> taken = listing.numbers();
    listing.claims.stream().filter(number -> !taken.contains(number)).forEach(number -> watched.add(claim(number)));
    long now = nanos.getAsLong();
    unchanged.keySet().retainAll(watched);
    watched.forEach(name -> unchanged.putIfAbsent(name, now));
    return listing;
  }

  private boolean isOver(Name name) {
    Long since = unchanged.get(name);
    long lease = LEASE_SECONDS + 1L; // who renews twice in a second binds nothing at the second time
    return since != null && nanos.getAsLong() - since > TimeUnit.SECONDS.toNanos(lease);
  }

  private long second() {
    return firstSecond + TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - firstNanos);
  }

  private static Name claim(long number) {
    return new Name("" + number, "");
  }

  private static Name entry(Registrant self, long number, long second) {
    return new Name(self.name() + " " + self.role().word() + " " + number + " " + second, self.address().text());
  }

  /// Reads an entry.
  ///
  /// @return null when it is none
  static @Nullable Entry parsed(Name name) {
    Matcher matcher = ENTRY.matcher(name.text);
    if (name.address.isEmpty() || !matcher.matches() || Names.faultOfNode(matcher.group(1)) != null) {
      return null;
    }
    Role role = matcher.group(2).equals(Role.CLIENT.word()) ? Role.CLIENT : Role.SERVER;
    long number = Long.parseLong(matcher.group(3));
    var registrant = new Registrant(number, role, matcher.group(1), new Address(name.address));
    return new Entry(name, registrant, Long.parseLong(matcher.group(4)));
  }

  /// What was bound at one time.
  private final class Listing {
    final Set<Name> all;
    final List<Entry> entries = new ArrayList<>();
    final Set<Long> claims = new HashSet<>();

    Listing(List<Name> bound) {
      all = new HashSet<>(bound);
      for (Name name : bound) {
        Entry entry = parsed(name);
        if (entry != null) {
          entries.add(entry);
        } else if (name.address.isEmpty() && CLAIM.matcher(name.text).matches()) {
          claims.add(Long.parseLong(name.text));
        }
      }
    }

    List<Entry> own() {
      return entries.stream().filter(entry -> entry.isOf(self.name())).toList();
    }

    boolean isOthers(long number) {
      return of(number).stream().anyMatch(entry -> !entry.isOf(self.name()));
    }

    /// The number that this process had before, here or in an earlier life, in this role.
    ///
    /// @return -1 when there is none, or another process has it
    long kept() {
      if (id >= 0 && !isOthers(id)) {
        return id;
      }
      if (claims.contains(unanswered) && of(unanswered).isEmpty()) {
        return unanswered;
      }
      return own().stream()
          .map(Entry::registrant)
          .filter(one -> one.role() == self.role() && isOfRole(one.id()) && !isOthers(one.id()))
          .mapToLong(Registrant::id)
          .min()
          .orElse(-1);
    }

    private boolean isOfRole(long number) {
      return self.role() == Role.CLIENT ? number < clientsMax : number >= clientsMax;
    }

    /// The lowest number of this role that nobody has, or else the lowest of a process that counts as crashed; what is
    /// left of that process is unbound.
    long free() throws IOException {
      unbindOwn(null);
      Set<Long> taken = numbers();
      long first = self.role() == Role.CLIENT ? 0 : clientsMax;
      long last = self.role() == Role.CLIENT ? clientsMax - 1 : NUMBER_MAX;
      for (long number = first; number <= last; number++) {
        if (!taken.contains(number) && (!claims.contains(number) || isOver(claim(number)))) {
          release(number);
          return number;
        }
      }
      for (long number = first; number <= last; number++) {
        if (taken.contains(number) && of(number).stream().allMatch(entry -> isOver(entry.bound))) {
          release(number);
          return number;
        }
      }
      throw new IOException("no number is free for a " + self.role().word() + ": all " + clientsMax + " are taken");
    }

    private Set<Long> numbers() {
      return entries.stream().map(entry -> entry.registrant.id()).collect(Collectors.toSet());
    }

    private List<Entry> of(long number) {
      return entries.stream().filter(entry -> entry.registrant.id() == number).toList();
    }

    /// Unbinds what is there under this process's name, but for one entry.
    void unbindOwn(@Nullable Name but) throws IOException {
      for (Entry entry : own()) {
        if (!entry.bound.equals(but)) {
          bindings.unbind(entry.bound);
          entries.remove(entry);
        }
        if (but == null) {
          bindings.unbind(claim(entry.registrant.id()));
        }
      }
    }

    private void release(long number) throws IOException {
      for (Entry entry : of(number)) {
        bindings.unbind(entry.bound);
      }
      if (claims.contains(number)) {
        bindings.unbind(claim(number));
      }
    }
  }
}
