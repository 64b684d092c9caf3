import org.jspecify.annotations.NullMarked;

/// Makes certificates for development: an authority, and the certificates that it issues.
@NullMarked
module org.tutti.certs {
  requires org.bouncycastle.pkix;
  requires org.bouncycastle.provider;
  requires static org.jspecify;

  exports org.tutti.certs;
}
