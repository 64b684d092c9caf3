package org.tutti.transport;

import java.nio.charset.StandardCharsets;
import org.tutti.Names;

/// Why a peer does not take this node in, as far as it says so or as this node sees by itself.
///
/// It is a hint for people and for programs that report, not a proof: where nothing authenticates the network, anybody
/// who sees what passes may invent it. No protocol concludes anything from it, and the node goes on trying.
///
/// @param by     the peer: as it is called where this node looks for it, or as it calls itself
/// @param reason why, for programs
/// @param words  why, in a line for people, which begins with "it" and means the peer; printable, whose words may
///               change
public record Refused(Address by, Reason reason, String words) {
  /// The longest words, in characters; the end of longer ones is cut off.
  public static final int WORDS_MAX = 500;

  /// Kinds of refusals.
  public enum Reason {
    /// The peer belongs to another cluster.
    OTHER_CLUSTER,

    /// A member that is heard has this node's name.
    NAME_IN_USE,

    /// A member does not let this node vote, whose certificate is only for observers.
    MAY_ONLY_OBSERVE,

    /// This node speaks TLS, the peer does not.
    NOT_TLS,

    /// The peer speaks TLS, this node does not.
    IS_TLS,

    /// This node does not believe the peer's certificate.
    ITS_CERTIFICATE,

    /// The peer does not believe this node's certificate, or wants one.
    OWN_CERTIFICATE,

    /// One of the two encrypts with a key that the other does not have.
    OTHER_KEY,

    /// The peer speaks another version of the protocol.
    OTHER_VERSION,

    /// At that address a node answers that calls itself by another one.
    OTHER_ADDRESS,

    /// Something answers that is no node.
    FOREIGN
  }

  /// Makes the words printable, and no longer than [#WORDS_MAX].
  public Refused {
    String shown = Names.printable(words);
    words = shown.length() <= WORDS_MAX ? shown : shown.substring(0, WORDS_MAX);
  }

  /// A refusal by a peer of another cluster.
  ///
  /// @param by    the peer
  /// @param its   the peer's cluster, as it was told; not trusted
  /// @param own   this node's
  /// @return the refusal
  public static Refused otherCluster(Address by, String its, String own) {
    String known =
        its.getBytes(StandardCharsets.UTF_8).length > Names.BYTES_MAX ? "another" : "cluster \"" + its + "\"";
    return new Refused(by, Reason.OTHER_CLUSTER, "it is of " + known + ", this node of \"" + own + "\"");
  }

  @Override
  public String toString() {
    return by + ": " + words;
  }
}
