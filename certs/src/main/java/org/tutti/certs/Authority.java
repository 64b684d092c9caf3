package org.tutti.certs;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/// A certification authority of one's own, in a directory: `ca.pem` and `ca-key.pem`, and for each member a directory
/// with `cert.pem`, `key.pem` and a copy of `ca.pem`, as `Credentials` of module net reads them.
///
/// For development and small sites: whoever reads `ca-key.pem` can become a member. Keys are of P-256; files of private
/// keys have mode 0600.
public final class Authority {
  /// The longest life of a certificate that an authority issues on its first day.
  private static final Duration ISSUED_LIFE_MAX = Duration.ofDays(3650);

  private static final Duration OWN_LIFE = ISSUED_LIFE_MAX.plusDays(1);
  private static final Duration CLOCKS_APART = Duration.ofMinutes(5);
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final int SERIAL_BITS = 127;

  /// What may be in a URI as it is (RFC 3986): the cluster is in one.
  private static final Pattern CLUSTER = Pattern.compile("[A-Za-z0-9._~:@/?!$&'()*+,;=-]{1,255}");

  private final Path directory;
  private final X509CertificateHolder certificate;
  private final PrivateKey key;
  private final SecureRandom random = new SecureRandom();

  private Authority(Path directory, X509CertificateHolder certificate, PrivateKey key) {
    this.directory = directory;
    this.certificate = certificate;
    this.key = key;
  }

  /// Goes on with the authority in a directory, or makes one there.
  ///
  /// @param directory is made when it is not there, with mode 0700
  /// @return the authority
  /// @throws IOException when files cannot be read or written
  public static Authority in(Path directory) throws IOException {
    Path secret = directory.resolve("ca-key.pem");
    Path open = directory.resolve("ca.pem");
    if (Files.exists(secret)) {
      return new Authority(directory, read(open, X509CertificateHolder.class), privateKey(secret));
    }
    if (Files.exists(open)) {
      throw new IOException(open + " is there, but " + secret + ", with which it signs, is not");
    }
    privately(directory);
    KeyPair pair = pair();
    var name = new X500Principal("CN=Tutti development CA " + Long.toHexString(new SecureRandom().nextLong()));
    try {
      Instant now = Instant.now();
      var builder =
          new JcaX509v3CertificateBuilder(
              name,
              new BigInteger(SERIAL_BITS, new SecureRandom()),
              Date.from(now.minus(CLOCKS_APART)),
              Date.from(now.plus(OWN_LIFE)),
              name,
              pair.getPublic());
      var extensions = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(pair.getPublic()));
      X509CertificateHolder own = builder.build(signer(pair.getPrivate()));
      write(secret, pem(pair.getPrivate()), true);
      write(open, pem(own), false);
      return new Authority(directory, own, pair.getPrivate());
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IOException("cannot make an authority: " + e.getMessage(), e);
    }
  }

  /// Issues a certificate from now on; replaces an earlier one of the same name.
  ///
  /// @param name    of the member, and of its directory
  /// @param cluster that it is for; members of others are refused
  /// @param life    how long it is valid
  /// @return the member's directory
  /// @throws IOException when files cannot be written
  public Path issue(String name, String cluster, Duration life) throws IOException {
    return issue(name, cluster, List.of(), life);
  }

  /// Issues a certificate for some roles from now on: `issue("web", "bank", List.of("client"), Duration.ofDays(90))`.
  ///
  /// @param name    of who has it, and of its directory
  /// @param cluster that it is for
  /// @param roles   what it is for, as `Role` of module core has them, in lower case; none for everything
  /// @param life    how long it is valid
  /// @return its directory
  /// @throws IOException when files cannot be written
  public Path issue(String name, String cluster, List<String> roles, Duration life) throws IOException {
    return issue(name, cluster, roles, Instant.now().minus(CLOCKS_APART), Instant.now().plus(life));
  }

  /// Issues a certificate for a given time; replaces an earlier one of the same name.
  ///
  /// @param name    of the member, and of its directory: letters, digits, points, hyphens and underscores
  /// @param cluster that it is for; members of others are refused; of what may be in a URI, 1 to 255 characters
  /// @param from    when it becomes valid
  /// @param until   when it expires, not after the authority's own certificate
  /// @return the member's directory
  /// @throws IOException when files cannot be written
  public Path issue(String name, String cluster, Instant from, Instant until) throws IOException {
    return issue(name, cluster, List.of(), from, until);
  }

  private Path issue(String name, String cluster, List<String> roles, Instant from, Instant until) throws IOException {
    if (!name.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")) {
      throw new IllegalArgumentException(
          "a member's name has letters, digits, points, hyphens and underscores only: '" + name + "'");
    }
    if (!roles.stream().allMatch(role -> role.matches("[a-z][a-z-]*"))) {
      throw new IllegalArgumentException("roles have lower-case letters and hyphens only: " + roles);
    }
    refuseCluster(cluster);
    Instant end = certificate.getNotAfter().toInstant();
    if (until.isAfter(end)) {
      throw new IllegalArgumentException(
          "a certificate until " + day(until) + " would outlive its authority, whose own is valid until " + day(end));
    }
    Path member = directory.resolve(name);
    privately(member);
    KeyPair pair = pair();
    try {
      var builder =
          new JcaX509v3CertificateBuilder(
              new X500Principal(certificate.getSubject().getEncoded()),
              new BigInteger(SERIAL_BITS, random),
              Date.from(from),
              Date.from(until),
              new X500Principal("CN=" + name),
              pair.getPublic());
      var extensions = new JcaX509ExtensionUtils();
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
      builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
      KeyPurposeId[] purposes = {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth};
      builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes));
      builder.addExtension(Extension.subjectAlternativeName, false, names(name, cluster, roles));
      builder.addExtension(
          Extension.authorityKeyIdentifier, false, extensions.createAuthorityKeyIdentifier(certificate));
      X509CertificateHolder issued = builder.build(signer(key));
      write(member.resolve("key.pem"), pem(pair.getPrivate()), true);
      write(member.resolve("cert.pem"), pem(issued), false);
      write(member.resolve("ca.pem"), pem(certificate), false);
      return member;
    } catch (GeneralSecurityException | OperatorCreationException e) {
      throw new IOException("cannot issue a certificate: " + e.getMessage(), e);
    }
  }

  private static void refuseCluster(String cluster) {
    if (!CLUSTER.matcher(cluster).matches()) {
      throw new IllegalArgumentException(
          "a cluster in a certificate has 1 to 255 letters, digits and characters of -._~:@/?!$&'()*+,;= only: '"
              + cluster
              + "'");
    }
  }

  private static String day(Instant time) {
    return time.atOffset(ZoneOffset.UTC).toLocalDate().toString();
  }

  private static GeneralNames names(String name, String cluster, List<String> roles) {
    var names = new ArrayList<GeneralName>();
    if (!name.contains("_")) {
      names.add(new GeneralName(GeneralName.dNSName, name));
    }
    names.add(new GeneralName(GeneralName.dNSName, "localhost"));
    names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    names.add(new GeneralName(GeneralName.uniformResourceIdentifier, "tutti:cluster:" + cluster));
    for (String role : roles) {
      names.add(new GeneralName(GeneralName.uniformResourceIdentifier, "tutti:role:" + role));
    }
    return new GeneralNames(names.toArray(GeneralName[]::new));
  }

  private static KeyPair pair() throws IOException {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IOException("no keys of P-256 here: " + e.getMessage(), e);
    }
  }

  private static ContentSigner signer(PrivateKey key) throws OperatorCreationException {
    return new JcaContentSignerBuilder(SIGNATURE).build(key);
  }

  private static String pem(Object what) throws IOException {
    var text = new StringWriter();
    try (var writer = new JcaPEMWriter(text)) {
      writer.writeObject(what instanceof PrivateKey key ? new JcaPKCS8Generator(key, null) : what);
    }
    return text.toString();
  }

  private static <T> T read(Path file, Class<T> type) throws IOException {
    try (var parser = new PEMParser(new StringReader(Files.readString(file)))) {
      Object found = parser.readObject();
      if (!type.isInstance(found)) {
        throw new IOException(file + " is damaged");
      }
      return type.cast(found);
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException {
    return new JcaPEMKeyConverter().getPrivateKey(read(file, PrivateKeyInfo.class));
  }

  private static void privately(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path above = directory.toAbsolutePath().getParent();
      if (above != null) {
        Files.createDirectories(above);
      }
      Files.createDirectory(
          directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  /// Replaces a file as a whole: a node that looks at it meanwhile sees the old one or the new one.
  private static void write(Path file, String text, boolean secret) throws IOException {
    var mode = PosixFilePermissions.fromString(secret ? "rw-------" : "rw-r--r--");
    Path draft = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(draft);
    Files.createFile(draft, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(draft, text.getBytes(StandardCharsets.US_ASCII));
    Files.setPosixFilePermissions(draft, mode);
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /// Where the authority's own files are.
  ///
  /// @return certificate and private key
  public List<Path> files() {
    return List.of(directory.resolve("ca.pem"), directory.resolve("ca-key.pem"));
  }
}
