package org.tutti.examples.accounts;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// Files of transactions, one per line: `deposit,ACCOUNT,AMOUNT`, `withdraw,ACCOUNT,AMOUNT`,
/// `transfer,FROM,TO,AMOUNT`.
public final class TransactionFile {
  private static final int ACCOUNTS = 1000;
  private static final int OPENING_CENTS = 100_000;

  private TransactionFile() {}

  /// Reads a file.
  ///
  /// @param file the file
  /// @return its transactions, in order
  /// @throws IOException when it cannot be read, or names the first bad line and says what is wrong with it
  public static List<Transaction> read(Path file) throws IOException {
    var transactions = new ArrayList<Transaction>();
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        transactions.add(Transaction.parse(line));
      }
    } catch (IllegalArgumentException e) {
      throw bad(file, transactions.size() + 1, e.getMessage());
    } catch (CharacterCodingException _) {
      throw bad(file, transactions.size() + 1, "this or a later line is not UTF-8");
    }
    return transactions;
  }

  /// Makes a file: first opening deposits, then transfers, deposits and withdrawals at random, some of which overdraw.
  ///
  /// @param file  the file; replaced if it exists
  /// @param count how many transactions
  /// @param seed  the same seed makes the same file
  /// @throws IOException when it cannot be written
  public static void make(Path file, int count, long seed) throws IOException {
    var random = new Random(seed);
    int accounts = Math.clamp(count / 10, 2, ACCOUNTS);
    try (BufferedWriter lines = Files.newBufferedWriter(file)) {
      for (int i = 0; i < count; i++) {
        Transaction next = i < accounts ? new Transaction.Deposit(name(i), OPENING_CENTS) : draw(random, accounts);
        lines.append(next.toLine()).append('\n');
      }
    }
  }

  private static Transaction draw(Random random, int accounts) {
    int account = random.nextInt(accounts);
    // Nobody takes out more than 1.5 times an opening balance: most succeed, and some do not.
    long amount = 1 + random.nextInt(OPENING_CENTS * 3 / 2);
    return switch (random.nextInt(4)) {
      case 0 -> new Transaction.Deposit(name(account), amount);
      case 1 -> new Transaction.Withdraw(name(account), amount);
      default -> {
        int other = (account + 1 + random.nextInt(accounts - 1)) % accounts;
        yield new Transaction.Transfer(name(account), name(other), amount);
      }
    };
  }

  private static String name(int account) {
    return "account-%04d".formatted(account);
  }

  private static IOException bad(Path file, int line, String reason) {
    return new IOException(file + ", line " + line + ": " + reason);
  }
}
