package org.tutti.examples.accounts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.examples.accounts.AnswerLog.Entry;
import org.tutti.examples.accounts.Reply.Outcome;

/// Compares the replicas' databases with each other, with what the clients were told and with what they had asked for.
///
/// It trusts nothing that the replicas said: it reads their databases after they have ended.
final class Audit {
  private static final int FINDINGS_MAX = 20;

  /// One client: what it asked for and what it was told, both in the order of the numbers.
  record Client(List<Transaction> asked, List<Entry> told) {
    static Client of(List<Transaction> asked, Path log) throws IOException {
      return new Client(asked, AnswerLog.read(log));
    }

    /// The same, if it went through its transactions over and over again until it was told to stop: what it was told of
    /// is what it had asked for, since it ends only when all is answered.
    Client repeated() {
      return new Client(IntStream.range(0, told.size()).mapToObj(i -> asked.get(i % asked.size())).toList(), told);
    }
  }

  /// What a database holds, as far as replicas are compared.
  private record Books(String replica, Path directory, Map<String, Long> balances, String journalDigest) {}

  private final Map<Long, Client> clients;
  private final List<String> findings = new ArrayList<>();
  private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
  private long expectedSum;
  private @Nullable Books first;

  /// Takes stock of what the clients asked for and were told.
  ///
  /// @param clients by their ids
  Audit(Map<Long, Client> clients) {
    this.clients = clients;
    clients.forEach((id, client) -> {
      if (client.told().size() != client.asked().size()) {
        find(
            "client "
                + id
                + " asked for "
                + client.asked().size()
                + " transactions and was told of "
                + client.told().size());
      }
      for (int i = 0; i < client.told().size(); i++) {
        tell(client.asked().get(i), client.told().get(i));
      }
    });
  }

  private void tell(Transaction asked, Entry told) {
    outcomes.merge(told.outcome(), 1L, Long::sum);
    if (told.outcome() == Outcome.ACCEPTED) {
      expectedSum +=
          switch (asked) {
            case Transaction.Deposit deposit -> deposit.amount();
            case Transaction.Withdraw withdraw -> -withdraw.amount();
            case Transaction.Transfer _ -> 0;
          };
    }
  }

  /// Reads a replica's database.
  void inspect(String replica, Path directory) throws SQLException {
    try (Connection database = open(directory)) {
      Map<String, Long> balances = balances(database);
      long sum = balances.values().stream().mapToLong(Long::longValue).sum();
      if (sum != expectedSum) {
        find(replica + ": balances add up to " + sum + ", accepted deposits minus withdrawals to " + expectedSum);
      }
      Books books = new Books(replica, directory, balances, journal(replica, database, balances));
      if (first == null) {
        first = books;
      } else {
        compare(first, books);
      }
    }
  }

  /// Reads the database of a replica that had left before the end: it must hold a beginning of the journal of one that
  /// stayed, which is to be inspected before.
  void inspectDeparted(String replica, Path directory) throws SQLException {
    Books stayed = Objects.requireNonNull(first);
    try (Connection there = open(directory);
        Connection here = open(stayed.directory())) {
      long rows = rows(there);
      if (rows == 0 || !beginning(there, rows).equals(beginning(here, rows))) {
        find(replica + ", which left, does not hold a beginning of the journal of " + stayed.replica());
      }
    }
  }

  private void compare(Books one, Books other) {
    if (!one.balances().equals(other.balances())) {
      find(one.replica() + " and " + other.replica() + " hold different balances");
    }
    if (!one.journalDigest().equals(other.journalDigest())) {
      find(one.replica() + " and " + other.replica() + " hold different journals");
    }
  }

  private static Connection open(Path directory) throws SQLException {
    return DriverManager.getConnection(Ledger.url(directory) + ";ACCESS_MODE_DATA=r;IFEXISTS=TRUE");
  }

  private static long rows(Connection database) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet count = statement.executeQuery("SELECT COUNT(*) FROM journal")) {
      return count.next() ? count.getLong(1) : 0;
    }
  }

  /// The digest of a journal's first rows.
  private static String beginning(Connection database, long rows) throws SQLException {
    MessageDigest digest = sha256();
    try (Statement statement = database.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT position, client, number, entry, outcome, balance FROM journal ORDER BY position LIMIT "
                    + rows)) {
      while (found.next()) {
        for (int column = 1; column <= 6; column++) {
          digest.update((found.getString(column) + "\n").getBytes(StandardCharsets.UTF_8));
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static Map<String, Long> balances(Connection database) throws SQLException {
    var balances = new TreeMap<String, Long>();
    try (Statement statement = database.createStatement();
        ResultSet rows = statement.executeQuery("SELECT name, balance FROM account")) {
      while (rows.next()) {
        balances.put(rows.getString(1), rows.getLong(2));
      }
    }
    return balances;
  }

  /// Checks a journal against the clients and, by executing it again, against the balances.
  private String journal(String replica, Connection database, Map<String, Long> balances) throws SQLException {
    var seen = new TreeMap<Long, BitSet>();
    var replayed = new TreeMap<String, Long>();
    MessageDigest digest = sha256();
    try (Statement statement = database.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT client, number, entry, outcome, position, balance FROM journal ORDER BY position")) {
      while (rows.next()) {
        var request = new ClientRequest(rows.getLong(1), rows.getLong(2), Transaction.parse(rows.getString(3)));
        Outcome outcome = Outcome.of(rows.getInt(4));
        check(replica, request, outcome, seen.computeIfAbsent(request.client(), _ -> new BitSet()));
        if (outcome == Outcome.ACCEPTED) {
          replay(request.transaction(), replayed);
        }
        String row = request + " " + outcome + " " + rows.getLong(5) + " " + rows.getLong(6) + "\n";
        digest.update(row.getBytes(StandardCharsets.UTF_8));
      }
    }
    clients.forEach((id, client) -> {
      int there = seen.getOrDefault(id, new BitSet()).cardinality();
      if (there != client.told().size()) {
        find(
            replica
                + ": client "
                + id
                + " was told of "
                + client.told().size()
                + " transactions, the journal has "
                + there);
      }
    });
    if (!replayed.equals(balances)) {
      find(replica + ": the balances are not what the journal adds up to");
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private void check(String replica, ClientRequest request, Outcome outcome, BitSet seen) {
    int index = (int) request.number() - 1;
    Client client = clients.get(request.client());
    if (client == null || index >= client.told().size()) {
      find(replica + ": nobody was told of " + request);
    } else if (seen.get(index)) {
      find(replica + ": executed twice: " + request);
    } else if (!request.transaction().equals(client.asked().get(index))
        || outcome != client.told().get(index).outcome()
        || client.told().get(index).number() != request.number()) {
      find(replica + ": " + request + " became " + outcome + ", the client knows otherwise");
    }
    seen.set(index);
  }

  private static void replay(Transaction transaction, Map<String, Long> balances) {
    switch (transaction) {
      case Transaction.Deposit(String account, long amount) -> balances.merge(account, amount, Long::sum);
      case Transaction.Withdraw(String account, long amount) -> balances.merge(account, -amount, Long::sum);
      case Transaction.Transfer(String from, String to, long amount) -> {
        balances.merge(from, -amount, Long::sum);
        balances.merge(to, amount, Long::sum);
      }
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has it", e);
    }
  }

  private void find(String finding) {
    if (findings.size() < FINDINGS_MAX) {
      findings.add(finding);
    }
  }

  /// What is wrong, the first findings only; empty when all is well.
  List<String> findings() {
    return findings;
  }

  /// How many accounts the first database has.
  int accounts() {
    return first == null ? 0 : first.balances().size();
  }

  /// What all balances together must be.
  long expectedSum() {
    return expectedSum;
  }

  /// How many answers of each kind the clients got.
  Map<Outcome, Long> outcomes() {
    return outcomes;
  }

  /// The longest time between two answers, whoever got them, in microseconds.
  long longestGapMicros() {
    long[] at =
        clients.values().stream()
            .flatMap(client -> client.told().stream())
            .mapToLong(Entry::atMicros)
            .sorted()
            .toArray();
    return IntStream.range(1, at.length).mapToLong(i -> at[i] - at[i - 1]).max().orElse(0);
  }

  /// The times that the clients waited for their answers, in microseconds, shortest first.
  long[] waits() {
    return clients.values().stream()
        .flatMap(client -> client.told().stream())
        .mapToLong(Entry::micros)
        .sorted()
        .toArray();
  }
}
