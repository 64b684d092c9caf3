package org.tutti.romiop;

import org.jacorb.orb.etf.FactoriesBase;
import org.jacorb.orb.etf.ProtocolAddressBase;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.BAD_PARAM;
import org.omg.ETF.Connection;
import org.omg.ETF.Listener;
import org.omg.ETF.Profile;
import org.omg.IOP.TaggedComponentSeqHolder;
import org.omg.IOP.TaggedProfileHolder;

/// What JacORB asks for connections, listeners and profiles of groups. It is named in a property and made by the ORB:
///
/// ```
/// jacorb.transport.factories=org.jacorb.orb.iiop.IIOPFactories,org.tutti.romiop.RomiopFactories
/// ```
///
/// Source: D. Borusch, L. C. Lung, A. N. Bessani, J. da Silva Fraga, *Integrating the ROMIOP and ETF Specifications for
/// Atomic Multicast in CORBA*, 2005, section 5; OMG, *Extensible Transport Framework*, as JacORB has it.
public final class RomiopFactories extends FactoriesBase {
  private static final long serialVersionUID = 1;

  /// For the ORB.
  public RomiopFactories() {}

  @Override
  protected Connection create_connection_internal() {
    return new ClientConnection();
  }

  @Override
  protected Listener create_listener_internal() {
    return new RomiopListener();
  }

  @Override
  protected ProtocolAddressBase create_address_internal() {
    throw new BAD_PARAM("a group has no address that could be listened on");
  }

  @Override
  public Profile demarshal_profile(TaggedProfileHolder profile, TaggedComponentSeqHolder components) {
    RomiopProfile read = new RomiopProfile();
    configureResult(read);
    read.demarshal(profile, components);
    return read;
  }

  @Override
  public @Nullable Profile decode_corbaloc(String address) {
    if (!address.startsWith(RomiopProfile.SCHEME)) {
      return null;
    }
    RomiopProfile profile = RomiopProfile.of(address);
    configureResult(profile);
    return profile;
  }

  @Override
  public int profile_tag() {
    return RomiopProfile.TAG;
  }
}
