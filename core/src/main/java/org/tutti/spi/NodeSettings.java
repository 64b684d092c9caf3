package org.tutti.spi;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.NodeBuilder;
import org.tutti.storage.StableStorage;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportSettings;

/// What a [NodeBuilder] says of a node, checked and immutable; a [NodeHost] starts the node by it. What each setting
/// means is told where it is chosen.
public interface NodeSettings {
  /// The node's name.
  ///
  /// @return 1 to 255 bytes without blanks
  String name();

  /// The cluster ([NodeBuilder#cluster]).
  ///
  /// @return 1 to 255 bytes
  String cluster();

  /// Whom the node asks ([NodeBuilder#contacts(String...)]).
  ///
  /// @return addresses, which may have the node's own among them; unmodifiable
  List<Address> contacts();

  /// Who is asked for more contacts ([NodeBuilder#discover]).
  ///
  /// @return belongs to the node; null for nobody
  @Nullable Discovery discovery();

  /// How often a silent node shows that it lives ([NodeBuilder#times]).
  ///
  /// @return positive
  Duration heartbeat();

  /// After what silence a peer is suspected ([NodeBuilder#times]).
  ///
  /// @return at least three heartbeats
  Duration suspectAfter();

  /// How long the engine thread looks for input before it waits ([NodeBuilder#spin]).
  ///
  /// @return not negative
  Duration spin();

  /// The highest version of the protocol to which the node lets its groups rise ([NodeBuilder#groupVersionMax]).
  ///
  /// @return 1 to 255, where 255 limits nothing
  int groupVersionMax();

  /// The transport that was given ([NodeBuilder#transport(Transport)]).
  ///
  /// @return null when one is chosen by its name
  @Nullable Transport transport();

  /// The transport that was chosen ([NodeBuilder#transport(String)]).
  ///
  /// @return its name; of no use when a transport was given
  String transportName();

  /// With what that transport is opened.
  ///
  /// @return of no use when a transport was given
  TransportSettings transportSettings();

  /// The storage that was given ([NodeBuilder#storage]).
  ///
  /// @return null when there is none, or a directory
  @Nullable StableStorage storage();

  /// Where the node keeps what must not be forgotten ([NodeBuilder#data]).
  ///
  /// @return a directory; null when there is none, or a storage was given
  @Nullable Path data();

  /// Where members of the node write what their applications do not take ([NodeBuilder#spillTo]).
  ///
  /// @return a directory, or null
  @Nullable Path spillTo();
}
