import org.jspecify.annotations.NullMarked;

/// Makes certificates for development.
@NullMarked
module org.tutti.certs {
  requires org.bouncycastle.pkix;
  requires org.bouncycastle.provider;
  requires static org.jspecify;

  exports org.tutti.certs;
}
