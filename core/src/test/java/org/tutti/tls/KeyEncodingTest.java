package org.tutti.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.Tree;

/// Private keys as openssl and cert-manager write them.
class KeyEncodingTest {
  private static final Path KEYS = Tree.root().resolve("core/src/test/resources/keys");

  @TempDir Path directory;

  private Credentials load(String certificate, String key) throws IOException {
    String chain = Files.readString(KEYS.resolve(certificate + ".cert.pem"));
    Files.writeString(directory.resolve("cert.pem"), chain);
    Files.writeString(directory.resolve("ca.pem"), chain);
    Files.writeString(directory.resolve("key.pem"), key);
    return Credentials.load(directory);
  }

  private static String key(String name) throws IOException {
    return Files.readString(KEYS.resolve(name + ".pem"));
  }

  private static byte[] decoded(String pem) {
    return Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
  }

  private static String sec1(byte[] encoded) {
    String text = Base64.getMimeEncoder().encodeToString(encoded);
    return "-----BEGIN EC PRIVATE KEY-----\n" + text + "\n-----END EC PRIVATE KEY-----\n";
  }

  @ParameterizedTest
  @CsvSource({
    "rsa, rsa.pkcs8",
    "rsa, rsa.pkcs1",
    "p256, p256.pkcs8",
    "p256, p256.sec1",
    "p384, p384.pkcs8",
    "p384, p384.sec1"
  })
  void aKeyIsReadInEachEncoding(String certificate, String key) throws IOException {
    assertThat(load(certificate, key(key)).cluster()).isEqualTo("tutti"); // it has signed with the key
  }

  @Test
  void openSslPutsItIntoPkcs8Likewise() throws IOException {
    assertThat(KeyEncoding.pkcs8(key("rsa.pkcs1"))).isEqualTo(decoded(key("rsa.pkcs8")));
    byte[] read = KeyEncoding.pkcs8(key("p256.sec1"));
    byte[] expected = decoded(key("p256.pkcs8")); // its key does not name the curve a second time
    int algorithm = 6; // after the sequence and the version
    int length = 21;
    assertThat(Arrays.copyOfRange(read, algorithm, algorithm + length))
        .isEqualTo(Arrays.copyOfRange(expected, algorithm, algorithm + length));
  }

  /// As `openssl ecparam -genkey` writes it.
  @Test
  void parametersBeforeAKeyAreNoKey() throws IOException {
    String before = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    assertThat(load("p256", before + key("p256.sec1")).cluster()).isEqualTo("tutti");
  }

  @ParameterizedTest
  @ValueSource(strings = {"p256.encrypted8", "rsa.encrypted1"})
  void anEncryptedKeyIsRefusedInWords(String name) {
    assertThatThrownBy(() -> load(name.substring(0, name.indexOf('.')), key(name)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "%s has a private key that is encrypted: decrypt it by `openssl pkey -in FILE -out key.pem`, and"
                + " keep it from other users",
            directory.resolve("key.pem"));
  }

  @Test
  void aKeyHasToSayItsCurve() throws IOException {
    byte[] whole = decoded(key("p256.sec1"));
    byte[] bare = Arrays.copyOf(whole, 39); // version and number, but neither curve nor public key
    bare[1] = 37;
    refused(sec1(bare), "has an EC private key that does not name its curve: write it in PKCS #8");
    refused(key("p256.explicit"), "has an EC private key on a curve that has no name, only parameters");
  }

  @Test
  void whatIsNoKeyIsRefusedInWords() throws IOException {
    refused("", "has no private key in PEM");
    refused(key("p256.cert"), "has no private key in PEM");
    refused(key("p256.sec1").replace("-----END", "----END"), "has no private key in PEM");
    refused(
        key("p256.sec1").replace("EC PRIVATE", "DSA PRIVATE"),
        "has a private key in the encoding" + " 'DSA PRIVATE KEY', which is not read here");
    refused("-----BEGIN PRIVATE KEY-----\n.\n-----END PRIVATE KEY-----", "has a private key that is not in Base64");
    refused("-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----", "has a private key that is not in Base64");
    refused(sec1(HexFormat.of().parseHex("3003020101")), "has an EC private key that cannot be read");
    refused(sec1(HexFormat.of().parseHex("3084ffffffff")), "has an EC private key that cannot be read");
    assertThatThrownBy(() -> load("p256", key("p384.sec1"))).hasMessageContaining("is not the key of");
    assertThatThrownBy(() -> load("rsa", key("rsa.pkcs1").replaceFirst("\nM[A-Za-z0-9+/]{63}", "\nMIIE")))
        .hasMessageContaining("has a private key that is none of EC, RSA, EdDSA");
  }

  /// Of whatever length it is cut, it is an error in words and no other one.
  @Test
  void aKeyThatIsCutIsRefused() throws IOException {
    byte[] whole = decoded(key("p256.sec1"));
    for (int length = 0; length < whole.length; length++) {
      String cut = sec1(Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> load("p256", cut)).isInstanceOf(IOException.class);
    }
  }

  private static void refused(String text, String words) {
    assertThatThrownBy(() -> KeyEncoding.pkcs8(text)).isInstanceOf(IOException.class).hasMessage(words);
  }
}
