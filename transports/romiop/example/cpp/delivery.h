// Makes servants of omniORB 4.2 objects in a group of Tutti: a member process, `tutti corba delegate`, delivers the
// requests of the group to this process, which it finds by the reference to this object.
//
//   CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", tutti::options);
//   ...
//   tutti::Delivery delivery;
//   delivery.add("Counter", servant);         // the key by which clients call it; the servant is active in some POA
//   root->activate_object(&delivery);
//
// Servants are ordinary ones. Requests come one after the other, in the order of the group. Results are big-endian,
// with zeros between values, unlike those that omniORB sends by itself: so equal results are equal bytes at all
// members, whatever their ORBs.
//
// It uses omniORB from within: compile with -idirafter /usr/include/omniORB4/internal

#ifndef TUTTI_DELIVERY_H
#define TUTTI_DELIVERY_H

#include <omniORB4/CORBA.h>
#include <omniORB4/callHandle.h>
#include <omniORB4/omniServer.h>

// These need each other in this order.
#include <omniORB4/internal/localIdentity.h>
#include <omniORB4/internal/objectTable.h>

#include <map>
#include <mutex>
#include <string>

#include "delivery.hh"

namespace tutti {

// Requests of a group, and their results, have up to 16 MiB; omniORB takes 2 MiB unless it is told otherwise.
constexpr CORBA::ULong MESSAGE_BYTES = 32 << 20;
inline const char* options[][2] = {{"giopMaxMsgSize", "33554432"}, {nullptr, nullptr}};

constexpr omni::CONV_FRAME::CodeSetId ISO_8859_1 = 0x00010001;
constexpr omni::CONV_FRAME::CodeSetId UTF_16 = 0x00010109;

// Wide characters of results, as GIOP 1.2 has them, big-endian and without a mark of the byte order. omniORB itself
// would write that of the machine, with a mark.
class BigEndian : public omni::omniCodeSet::TCS_W {
 public:
  BigEndian() : TCS_W(UTF_16, "UTF-16 of results", omni::omniCodeSet::CS_Other, GIOP::Version{1, 2}) {}

  void marshalWChar(cdrStream& stream, omni::omniCodeSet::UniChar c) override {
    stream.marshalOctet(2);
    put(stream, c);
  }

  void marshalWString(cdrStream& stream, CORBA::ULong bound, CORBA::ULong length,
                      const omni::omniCodeSet::UniChar* text) override {
    if (bound != 0 && length > bound) throw CORBA::BAD_PARAM();
    stream.marshalULong(2 * length);
    for (CORBA::ULong i = 0; i < length; i++) put(stream, text[i]);
  }

  omni::omniCodeSet::UniChar unmarshalWChar(cdrStream&) override { throw CORBA::INTERNAL(); }
  CORBA::ULong unmarshalWString(cdrStream&, CORBA::ULong, omni::omniCodeSet::UniChar*&) override {
    throw CORBA::INTERNAL();
  }

 private:
  static void put(cdrStream& stream, omni::omniCodeSet::UniChar c) {
    stream.marshalOctet(CORBA::Octet(c >> 8));
    stream.marshalOctet(CORBA::Octet(c));
  }
};

// A stream for what is in memory, with the code sets of groups.
inline void prepare(cdrMemoryStream& stream, CORBA::Octet minor, bool littleEndian) {
  GIOP::Version version = {1, minor};
  stream.TCS_C(omni::omniCodeSet::getTCS_C(ISO_8859_1, version));
  stream.TCS_W(omni::omniCodeSet::getTCS_W(UTF_16, version));
  stream.setByteSwapFlag(littleEndian);
}

// A stream for what a call has brought: results or an exception.
inline void prepareResults(cdrMemoryStream& stream, CORBA::Octet minor) {
  static BigEndian wide;
  prepare(stream, minor, false);
  if (minor == 2) stream.TCS_W(&wide);
}

// A request that did not come over a connection, as the ORB's skeletons want it.
class Call : public omni::IOP_S {
 public:
  explicit Call(const Tutti::Request& what)
      : what_(what), in_(const_cast<CORBA::Octet*>(what.message.get_buffer()), what.message.length()), out_(0u, 1) {
    if (what.arguments_at > what.message.length()) throw CORBA::BAD_PARAM();
    prepare(in_, what.giop_minor, what.little_endian);
    prepareResults(out_, what.giop_minor);
    in_.skipInput(what.arguments_at);
  }

  cdrStream& getStream() override { return in_; }
  const char* operation_name() const override { return what_.operation; }

  void ReceiveRequest(omniCallDescriptor& descriptor) override {
    descriptor_ = &descriptor;
    descriptor.unmarshalArguments(in_);
  }

  void SendReply() override { descriptor_->marshalReturnedValues(out_); }
  void SkipRequestBody() override {}
  void SendException(CORBA::Exception* thrown) override { thrown->_raise(); }

  cdrMemoryStream& results() { return out_; }

 private:
  const Tutti::Request& what_;
  cdrMemoryStream in_;
  cdrMemoryStream out_;
  omniCallDescriptor* descriptor_ = nullptr;
};

class Delivery : public POA_Tutti::Delivery {
 public:
  // The ORB must have been made with the options above: else a long request would take this member away.
  Delivery() {
    if (omniORB::giopMaxMsgSize() < MESSAGE_BYTES) throw CORBA::INITIALIZE();
  }

  // A servant for a key. It must be active whenever a request comes; later ones of the same key replace it.
  void add(const std::string& key, PortableServer::Servant servant) {
    std::lock_guard<std::mutex> guard(mutex_);
    servants_[key] = servant;
  }

  Tutti::Servants* begin(const char* life, CORBA::Boolean& used) override {
    std::lock_guard<std::mutex> guard(mutex_);
    life_ = life;
    last_ = 0;
    used = used_;
    Tutti::Servants_var all = new Tutti::Servants;
    all->length(servants_.size());
    CORBA::ULong i = 0;
    for (const auto& each : servants_) {
      all[i].object_key = each.first.c_str();
      all[i++].type_id = each.second->_mostDerivedRepoId();
    }
    return all._retn();
  }

  Tutti::Reply* deliver(const char* life, CORBA::ULongLong number, const Tutti::Request& what) override {
    std::lock_guard<std::mutex> guard(mutex_);
    if (life_ != life) throw Tutti::OtherLife();
    if (number != last_ && number != last_ + 1) throw Tutti::OutOfOrder(last_ + 1);
    if (number == 0) throw Tutti::OutOfOrder(1);
    if (number == last_ + 1) {
      used_ = true;
      last_ = number;
      reply_ = execute(what);
    }
    return new Tutti::Reply(reply_);
  }

 private:
  Tutti::Reply execute(const Tutti::Request& what) {
    try {
      Call call(what);
      dispatch(what, call);
      return ended(0, call.results());
    } catch (const CORBA::UserException& thrown) {
      return failed(1, what, thrown, nullptr);
    } catch (const CORBA::SystemException& thrown) {
      return failed(2, what, thrown, &thrown);
    } catch (const omniORB::LOCATION_FORWARD&) {
      CORBA::OBJECT_NOT_EXIST elsewhere;
      return failed(2, what, elsewhere, &elsewhere);
    } catch (...) {
      CORBA::UNKNOWN unknown(0, CORBA::COMPLETED_MAYBE);
      return failed(2, what, unknown, &unknown);
    }
  }

  // By the POA of the servant, as if the request had come over a connection.
  void dispatch(const Tutti::Request& what, Call& call) {
    auto found = servants_.find(std::string(what.object_key));
    if (found == servants_.end()) throw CORBA::OBJECT_NOT_EXIST();
    omniCallHandle handle(&call, omni_thread::self());
    omni::internalLock->lock();
    const auto& active = found->second->_activations();
    if (active.size() == 0) {
      omni::internalLock->unlock();
      throw CORBA::OBJECT_NOT_EXIST();
    }
    omniLocalIdentity* identity = active[0];
    identity->dispatch(handle);  // it unlocks
  }

  static Tutti::Reply failed(CORBA::ULong status, const Tutti::Request& what, const CORBA::Exception& thrown,
                             const CORBA::SystemException* system) {
    cdrMemoryStream out(0u, 1);
    prepareResults(out, what.giop_minor);
    int length;
    out.marshalRawString(thrown._NP_repoId(&length));
    if (system == nullptr) {
      thrown._NP_marshal(out);
    } else {
      out.marshalULong(system->minor());
      out.marshalULong(system->completed());
    }
    return ended(status, out);
  }

  static Tutti::Reply ended(CORBA::ULong status, cdrMemoryStream& out) {
    Tutti::Reply reply;
    reply.status = status;
    reply.body.length(out.bufSize());
    memcpy(reply.body.get_buffer(), out.bufPtr(), out.bufSize());
    return reply;
  }

  std::mutex mutex_;  // one request at a time
  std::map<std::string, PortableServer::Servant> servants_;
  std::string life_;
  CORBA::ULongLong last_ = 0;
  Tutti::Reply reply_;  // to the last one
  bool used_ = false;
};

}  // namespace tutti

#endif
