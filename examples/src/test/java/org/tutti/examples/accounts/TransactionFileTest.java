package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.examples.accounts.Transaction.Deposit;
import org.tutti.examples.accounts.Transaction.Transfer;
import org.tutti.examples.accounts.Transaction.Withdraw;

class TransactionFileTest {
  @TempDir private Path directory;

  @Test
  void linesBecomeTransactionsInOrder() throws IOException {
    Path file = write("deposit,alice,100\nwithdraw,alice,30\ntransfer,alice,bøb,70");
    assertThat(TransactionFile.read(file))
        .containsExactly(new Deposit("alice", 100), new Withdraw("alice", 30), new Transfer("alice", "bøb", 70));
  }

  @Test
  void aMadeFileHasAllKindsAndDependsOnItsSeedOnly() throws IOException {
    Path one = make("one", 7);
    assertThat(make("two", 7)).hasSameTextualContentAs(one);
    assertThat(Files.readString(make("three", 8))).isNotEqualTo(Files.readString(one));
    List<Transaction> transactions = TransactionFile.read(one);
    assertThat(transactions).hasSize(1000).hasAtLeastOneElementOfType(Deposit.class);
    assertThat(transactions).hasAtLeastOneElementOfType(Withdraw.class).hasAtLeastOneElementOfType(Transfer.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "\"\" | expected deposit, withdraw or transfer, not ''",
        "steal,alice,1 | expected deposit, withdraw or transfer, not 'steal'",
        "deposit,alice | deposit has 2 values after it, not 1",
        "transfer,alice,bob | transfer has 3 values after it, not 2",
        "deposit,alice,1,2 | deposit has 2 values after it, not 3",
        "deposit,alice,1.50 | '1.50' is not an amount in cents",
        "deposit,alice,99999999999999999999 | '99999999999999999999' is not an amount in cents",
        "deposit,alice,0 | an amount is 1 to 1000000000000 cents, not 0",
        "withdraw,alice,-5 | an amount is 1 to 1000000000000 cents, not -5",
        "deposit,,5 | the name of an account has 1 to 64 bytes, not 0",
        "transfer,alice,alice,5 | a transfer needs two accounts, not twice 'alice'",
      })
  void aBadLineIsReportedWithItsNumber(String line, String reason) throws IOException {
    Path file = write("deposit,alice,1\ndeposit,alice,1\n" + line + "\ndeposit,alice,1\n");
    assertThatThrownBy(() -> TransactionFile.read(file))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ", line 3: " + reason);
  }

  @Test
  void aFileThatIsNotTextIsReported() throws IOException {
    Path file = directory.resolve("binary");
    Files.write(file, new byte[] {'d', (byte) 0xff, (byte) 0xfe, '\n'});
    assertThatThrownBy(() -> TransactionFile.read(file)).hasMessageContaining("line 1").hasMessageContaining("UTF-8");
    assertThatThrownBy(() -> TransactionFile.read(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
  }

  private Path make(String name, long seed) throws IOException {
    Path file = directory.resolve(name);
    TransactionFile.make(file, 1000, seed);
    return file;
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("transactions.csv"), text);
  }
}
