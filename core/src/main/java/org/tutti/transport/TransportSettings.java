package org.tutti.transport;

import org.jspecify.annotations.Nullable;

/// What whoever runs a node tells any [TransportProvider]; all else is the provider's own choice.
///
/// @param listen     where the node listens, in the transport's form; mostly `host:port`, where port 0 lets the kernel
///                   choose
/// @param advertised the address that peers use when something between passes their connections on; null for the one
///                   listened on
public record TransportSettings(Address listen, @Nullable Address advertised) {
  /// Listening on an address that peers can use themselves.
  ///
  /// @param listen where the node listens
  /// @return the settings
  public static TransportSettings at(Address listen) {
    return new TransportSettings(listen, null);
  }
}
