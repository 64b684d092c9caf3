package org.tutti.host;

import org.jspecify.annotations.Nullable;
import org.tutti.Node;
import org.tutti.spi.NodeHost;
import org.tutti.spi.NodeSettings;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageProvider;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;

/// Runs nodes in this process: opens what their settings name, and starts a thread for each.
public final class ProcessHost implements NodeHost {
  /// For [java.util.ServiceLoader].
  public ProcessHost() {}

  @Override
  public Node start(NodeSettings settings) {
    Transport given = settings.transport();
    TransportProvider provider = given != null ? null : provider(settings);
    StableStorage storage = settings.storage();
    if (settings.data() != null) {
      storage = StorageProvider.installed().open(settings.data());
    }
    Transport transport = given;
    try {
      if (provider != null) {
        transport = provider.open(settings.transportSettings());
      }
      return ProcessNode.start(settings, transport, storage);
    } catch (RuntimeException failed) {
      // What was given still belongs to the caller.
      close(transport == given ? null : transport);
      close(storage == settings.storage() ? null : storage);
      throw failed;
    }
  }

  private static TransportProvider provider(NodeSettings settings) {
    TransportProvider provider = TransportProvider.named(settings.transportName());
    if (settings.transportSettings().tls() != null) {
      provider.requireCertificates(settings.transportSettings().tls(), settings.cluster());
    }
    return provider;
  }

  private static void close(@Nullable Transport transport) {
    if (transport != null) {
      transport.close();
    }
  }

  private static void close(@Nullable StableStorage storage) {
    if (storage != null) {
      storage.close();
    }
  }
}
