package org.tutti.tls;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.Refused.Reason;

/// Why a peer's certificate was refused.
public enum Refusal {
  /// It is good, but for another cluster.
  OTHER_CLUSTER,
  /// It is good, but for other roles.
  OTHER_ROLE,
  /// It is valid no more, or not yet.
  OUT_OF_DATE,
  /// All else: the authority is another one, or there is no certificate.
  WRONG;

  private static final String ALERT = "Received fatal alert: ";
  private static final String HUNG_UP = "hung up within the handshake";

  /// Finds the reason among the causes of a failure: TLS wraps what a check of certificates throws.
  ///
  /// @param failure of a handshake or a check
  /// @return the reason; null when certificates were not it
  public static @Nullable Refusal of(Throwable failure) {
    boolean certificate = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      switch (cause) {
        case Credentials.OtherClusterException _ -> {
          return OTHER_CLUSTER;
        }
        case Credentials.OtherRoleException _ -> {
          return OTHER_ROLE;
        }
        case CertificateExpiredException _, CertificateNotYetValidException _ -> {
          return OUT_OF_DATE;
        }
        case CertificateException _, CertPathValidatorException _ -> certificate = true; // the reason may be deeper
        default -> {}
      }
    }
    return certificate ? WRONG : null;
  }

  /// Why a peer that this node has connected to is refused, or refuses this node.
  ///
  /// @param failure of the handshake, or of the first read behind it: a peer may refuse a certificate then
  /// @param by      the peer
  /// @param own     what this node shows; null when that is not known here
  /// @return the reason; null when that is not known: the connection broke
  public static @Nullable Refused told(Throwable failure, Address by, @Nullable Credentials own) {
    Refusal wrong = of(failure);
    if (wrong == OTHER_CLUSTER) {
      return new Refused(by, Reason.OTHER_CLUSTER, "its certificate: " + deepest(failure));
    } else if (wrong != null) {
      return new Refused(by, Reason.ITS_CERTIFICATE, "its certificate is refused here: " + certificateFault(failure));
    }
    // The rest the JDK, and the TLS of Netty, tell apart by their texts only.
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String text = String.valueOf(cause.getMessage());
      if (cause instanceof SSLException && text.contains(ALERT)) {
        return byPeer(text.substring(text.lastIndexOf(ALERT) + ALERT.length()), by, own);
      } else if (cause instanceof SSLException && isNotTls(text)) {
        return notTls(by);
      } else if (cause instanceof SSLException && text.equals(HUNG_UP)) {
        String words = "it closes during the handshake: it seems not to speak TLS, this node does";
        return new Refused(by, Reason.NOT_TLS, words);
      }
    }
    return null;
  }

  /// Makes the handshake of a connection to a peer. Some who speak no TLS hang up without a word.
  ///
  /// @param socket a connection to a peer
  /// @param said   tells whether the peer has said anything
  /// @throws IOException when there is no handshake; [#told] knows why
  public static void shake(SSLSocket socket, BooleanSupplier said) throws IOException {
    try {
      socket.startHandshake();
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throw said.getAsBoolean() ? e : new SSLException(HUNG_UP, e);
    }
  }

  private static Refused byPeer(String alert, Address by, @Nullable Credentials own) {
    String fault = own == null ? null : own.fault();
    String which = fault == null ? "" : ", which " + fault;
    return new Refused(by, Reason.OWN_CERTIFICATE, "it refuses this node's certificate" + which + " (" + alert + ")");
  }

  private static boolean isNotTls(String text) {
    return text.contains("Unsupported or unrecognized SSL message")
        || text.contains("plaintext connection?")
        || text.contains("not an SSL/TLS record");
  }

  /// This node speaks TLS, and the peer answers something else.
  ///
  /// @param by the peer
  /// @return the refusal
  public static Refused notTls(Address by) {
    return new Refused(by, Reason.NOT_TLS, "it does not speak TLS, this node does");
  }

  /// This node speaks no TLS, and the peer answers with a record of TLS.
  ///
  /// @param by the peer
  /// @return the refusal
  public static Refused isTls(Address by) {
    return new Refused(by, Reason.IS_TLS, "it speaks TLS, this node does not");
  }

  /// What is wrong with a certificate; of a time the JDK says no more than "NotAfter: Fri Nov 27 03:27:29 UTC 2026".
  private static String certificateFault(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateExpiredException) {
        return "it has expired (" + cause.getMessage() + ")";
      } else if (cause instanceof CertificateNotYetValidException) {
        return "it is not valid yet (" + cause.getMessage() + ")";
      }
    }
    return deepest(failure);
  }

  private static String deepest(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return String.valueOf(last.getMessage());
  }
}
