package org.tutti.net.tls;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import org.jspecify.annotations.Nullable;

/// Why a peer's certificate was refused.
public enum Refusal {
  /// It is good, but for another cluster.
  OTHER_CLUSTER,
  /// It is valid no more, or not yet.
  OUT_OF_DATE,
  /// All else: the authority is another one, or there is no certificate.
  WRONG;

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
        case CertificateExpiredException _, CertificateNotYetValidException _ -> {
          return OUT_OF_DATE;
        }
        case CertificateException _, CertPathValidatorException _ -> certificate = true; // the reason may be deeper
        default -> {}
      }
    }
    return certificate ? WRONG : null;
  }
}
