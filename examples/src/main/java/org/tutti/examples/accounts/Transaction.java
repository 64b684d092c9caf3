package org.tutti.examples.accounts;

import java.nio.charset.StandardCharsets;

/// What a client asks the service to do. Amounts are in cents; an account exists once something was paid into it.
///
/// Its one form outside of memory is a line of text, such as `transfer,alice,bob,250`: in files, on the wire and in the
/// journal.
public sealed interface Transaction {
  /// The largest amount, in cents.
  long AMOUNT_MAX = 1_000_000_000_000L;

  /// The longest name of an account, in bytes of UTF-8.
  int NAME_BYTES_MAX = 64;

  /// The transaction as a line, without line end.
  ///
  /// @return the form that [#parse] reads
  String toLine();

  /// Pays into an account.
  ///
  /// @param account the account; comes into being if need be
  /// @param amount  1 to [#AMOUNT_MAX] cents
  record Deposit(String account, long amount) implements Transaction {
    /// Checks the ranges.
    public Deposit {
      checkName(account);
      checkAmount(amount);
    }

    @Override
    public String toLine() {
      return "deposit," + account + "," + amount;
    }
  }

  /// Takes out of an account, unless that overdraws it.
  ///
  /// @param account the account
  /// @param amount  1 to [#AMOUNT_MAX] cents
  record Withdraw(String account, long amount) implements Transaction {
    /// Checks the ranges.
    public Withdraw {
      checkName(account);
      checkAmount(amount);
    }

    @Override
    public String toLine() {
      return "withdraw," + account + "," + amount;
    }
  }

  /// Moves money between two accounts, unless that overdraws the first; never one half of it.
  ///
  /// @param from   the account that pays
  /// @param to     the account that is paid, another one
  /// @param amount 1 to [#AMOUNT_MAX] cents
  record Transfer(String from, String to, long amount) implements Transaction {
    /// Checks the ranges.
    public Transfer {
      checkName(from);
      checkName(to);
      checkAmount(amount);
      if (from.equals(to)) {
        throw new IllegalArgumentException("a transfer needs two accounts, not twice '" + from + "'");
      }
    }

    @Override
    public String toLine() {
      return "transfer," + from + "," + to + "," + amount;
    }
  }

  /// Reads a line.
  ///
  /// @param line as written by [#toLine]
  /// @return the transaction
  /// @throws IllegalArgumentException says what is wrong with the line
  static Transaction parse(String line) {
    String[] parts = line.split(",", -1);
    return switch (parts[0]) {
      case "deposit" -> new Deposit(parts(parts, 3)[1], amount(parts[2]));
      case "withdraw" -> new Withdraw(parts(parts, 3)[1], amount(parts[2]));
      case "transfer" -> new Transfer(parts(parts, 4)[1], parts[2], amount(parts[3]));
      default -> throw new IllegalArgumentException("expected deposit, withdraw or transfer, not " + quote(parts[0]));
    };
  }

  private static String[] parts(String[] parts, int expected) {
    if (parts.length != expected) {
      throw new IllegalArgumentException(
          parts[0] + " has " + (expected - 1) + " values after it, not " + (parts.length - 1));
    }
    return parts;
  }

  private static long amount(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(quote(text) + " is not an amount in cents");
    }
  }

  /// Shows text that may be anything, and is about to reach somebody's terminal.
  private static String quote(String text) {
    String start = text.substring(0, Math.min(text.length(), 40));
    return "'" + start.replaceAll("\\p{Cntrl}", "?") + (start.length() < text.length() ? "..." : "") + "'";
  }

  private static void checkAmount(long amount) {
    if (amount < 1 || amount > AMOUNT_MAX) {
      throw new IllegalArgumentException("an amount is 1 to " + AMOUNT_MAX + " cents, not " + amount);
    }
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == 0 || bytes > NAME_BYTES_MAX) {
      throw new IllegalArgumentException("the name of an account has 1 to " + NAME_BYTES_MAX + " bytes, not " + bytes);
    }
    if (name.chars().anyMatch(c -> c == ',' || Character.isISOControl(c))) {
      throw new IllegalArgumentException("the name of an account holds neither commas nor control characters");
    }
  }
}
