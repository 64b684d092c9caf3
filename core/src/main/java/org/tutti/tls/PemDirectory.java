package org.tutti.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/// What three PEM files said when they were read, and when they were written.
///
/// @param chain   the own certificate first; empty when there is none
/// @param key     belongs to it; null when there is none
/// @param trust   checks certificates against the authority
/// @param cluster what the own certificate is for, or null; without one, what those of others are to be for
/// @param versions  tell whether the files have changed
record PemDirectory(
    X509Certificate[] chain,
    @Nullable PrivateKey key,
    X509ExtendedTrustManager trust,
    @Nullable String cluster,
    List<FileVersion> versions) {
  /// Before a cluster's name in a certificate's alternative names, as a URI.
  private static final String CLUSTER_URI = "tutti:cluster:";

  private static final int URI_NAME = 6; // the kind of an alternative name (RFC 5280, 4.2.1.6)
  private static final long BYTES_MAX = 1 << 20;
  private static final String[] ALGORITHMS = {"EC", "RSA", "EdDSA"};

  /// One file as it was.
  record FileVersion(Path file, FileTime written, long size, @Nullable Object identity) {
    static FileVersion of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new FileVersion(file, attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  /// Reads them.
  ///
  /// @param trusted null for all three; else only the authority is read, to trust certificates for this cluster
  static PemDirectory read(Path directory, @Nullable String trusted) throws IOException {
    Path own = directory.resolve("cert.pem");
    Path secret = directory.resolve("key.pem");
    Path authority = directory.resolve("ca.pem");
    // Stamps first: what changes while it is read is read once more.
    var versions = new ArrayList<FileVersion>();
    for (Path file : trusted == null ? List.of(own, secret, authority) : List.of(authority)) {
      try {
        versions.add(FileVersion.of(file));
      } catch (NoSuchFileException e) {
        throw new IOException("no file " + file, e);
      }
    }
    if (trusted != null) {
      return new PemDirectory(new X509Certificate[0], null, trust(authority), trusted, versions);
    }
    X509Certificate[] chain = certificates(own).toArray(X509Certificate[]::new);
    PrivateKey key = key(secret);
    if (!belongs(key, chain[0])) {
      throw new IOException(secret + " is not the key of " + own);
    }
    SecretFile.warn(secret);
    return new PemDirectory(chain, key, trust(authority), cluster(chain[0]), versions);
  }

  boolean isOutdated() {
    try {
      for (FileVersion version : versions) {
        if (!FileVersion.of(version.file).equals(version)) {
          return true;
        }
      }
      return false;
    } catch (IOException _) {
      return true; // reading them says what is wrong
    }
  }

  boolean sameAs(PemDirectory other) {
    return Arrays.equals(chain, other.chain)
        && Arrays.equals(trust.getAcceptedIssuers(), other.trust.getAcceptedIssuers());
  }

  /// The cluster that a certificate is for.
  static @Nullable String cluster(X509Certificate certificate) {
    for (String uri : uris(certificate)) {
      if (uri.startsWith(CLUSTER_URI)) {
        return uri.substring(CLUSTER_URI.length());
      }
    }
    return null;
  }

  /// What a certificate is for: what it names, or everything. One that names only roles of which nothing is known here
  /// is for nothing.
  static Set<Role> roles(X509Certificate certificate) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    boolean named = false;
    for (String uri : uris(certificate)) {
      named |= Role.read(uri, roles);
    }
    return named ? roles : EnumSet.allOf(Role.class);
  }

  private static List<String> uris(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? List.of()
          : names.stream().filter(name -> name.get(0).equals(URI_NAME)).map(name -> name.get(1).toString()).toList();
    } catch (GeneralSecurityException _) {
      return List.of(); // names that cannot be read name nothing
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      throw new IOException(file + " has more than " + BYTES_MAX + " bytes");
    }
    return Files.readAllBytes(file);
  }

  private static List<X509Certificate> certificates(Path file) throws IOException {
    try {
      var found = new ArrayList<X509Certificate>();
      var in = new ByteArrayInputStream(bytes(file));
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        found.add((X509Certificate) each);
      }
      if (found.isEmpty()) {
        throw new IOException(file + " has no certificate");
      }
      return found;
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " has no certificate that can be read: " + e.getMessage(), e);
    }
  }

  private static PrivateKey key(Path file) throws IOException {
    byte[] text = bytes(file);
    byte[] encoded;
    try {
      encoded = KeyEncoding.pkcs8(new String(text, StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new IOException(file + " " + e.getMessage(), e);
    }
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      } catch (InvalidKeySpecException _) {
        // Of another algorithm.
      } catch (GeneralSecurityException e) {
        throw new IOException(file + " has no private key that can be read", e);
      }
    }
    throw new IOException(file + " has a private key that is none of " + String.join(", ", ALGORITHMS));
  }

  private static boolean belongs(PrivateKey key, X509Certificate certificate) throws IOException {
    try {
      byte[] text = {1, 2, 3};
      String algorithm =
          switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            default -> "EdDSA";
          };
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  private static X509ExtendedTrustManager trust(Path file) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (X509Certificate each : certificates(file)) {
        store.setCertificateEntry("ca" + number++, each);
      }
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(store);
      for (TrustManager each : factory.getTrustManagers()) {
        if (each instanceof X509ExtendedTrustManager manager) {
          return manager;
        }
      }
      throw new IOException("no PKIX here");
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " has no certificates that can be used: " + e.getMessage(), e);
    }
  }
}
