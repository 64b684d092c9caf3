// Exactly-once calls from clients of omniORB 4.2 to objects in groups of Tutti, or of another Fault Tolerant CORBA.
//
//   CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
//   ft::install();
//
// Each request gets the service context FT_REQUEST, with the same content when omniORB sends the same call again, which
// it does by itself when a connection breaks that was used before. And calls are sent again, through the next gateway of
// the reference, when a gateway dies: until DURATION_SECONDS are over the group knows them and does not execute them a
// second time. Then the client gets the exception. Clocks of clients and servers must not differ by as much.

#ifndef FT_REQUEST_H
#define FT_REQUEST_H

#include <omniORB4/CORBA.h>
#include <omniORB4/omniInterceptors.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>

// GIOP_C.h does not include what it needs.
#include <omniORB4/internal/giopStream.h>
#include <omniORB4/internal/giopStrand.h>
#include <omniORB4/internal/GIOP_C.h>

namespace ft {

constexpr IOP::ServiceID FT_REQUEST = 13;
constexpr CORBA::ULongLong DURATION_SECONDS = 60;
constexpr CORBA::ULongLong UNITS_PER_SECOND = 10000000;  // of TimeT, which counts 100 ns
constexpr CORBA::ULongLong UNIX_EPOCH = 0x01B21DD213814000ULL;
constexpr auto PAUSE = std::chrono::milliseconds(100);  // when all gateways have been tried

struct Call {
  omniCallDescriptor* descriptor = nullptr;
  CORBA::Long retention_id = 0;
  CORBA::ULongLong expiration = 0;
};

// What this thread calls.
inline thread_local Call call;

inline CORBA::ULongLong now() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  auto micros = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return UNIX_EPOCH + CORBA::ULongLong(micros) * 10;
}

// Unlike those of all other clients anywhere.
inline const std::string& clientId() {
  static const std::string id = [] {
    std::random_device random;
    std::string made = "omniORB";
    for (int i = 0; i < 4; i++) made += "-" + std::to_string(random());
    return made;
  }();
  return id;
}

// A new call has a new descriptor, on the stack of its thread; omniORB keeps the descriptor while it tries again. The
// field for the object of a local call is not used by calls to other processes, so it marks a descriptor that was seen.
inline CORBA::Boolean send(omni::omniInterceptors::clientSendRequest_T::info_T& info) {
  static std::atomic<CORBA::Long> last{0};
  omniCallDescriptor* descriptor = info.giop_c.calldescriptor();
  auto* mark = reinterpret_cast<omniLocalIdentity*>(&call);
  if (descriptor->localId() != mark || call.descriptor != descriptor) {
    call = Call{descriptor, ++last, now() + DURATION_SECONDS * UNITS_PER_SECOND};
    descriptor->localId(mark);
  }
  cdrEncapsulationStream out(CORBA::ULong(0), CORBA::Boolean(1));
  out.marshalRawString(clientId().c_str());
  call.retention_id >>= out;
  call.expiration >>= out;
  CORBA::ULong count = info.service_contexts.length();
  info.service_contexts.length(count + 1);
  info.service_contexts[count].context_id = FT_REQUEST;
  CORBA::Octet* bytes;
  CORBA::ULong most, length;
  out.getOctetStream(bytes, most, length);
  info.service_contexts[count].context_data.replace(most, length, bytes, 1);
  return 1;
}

// Whether a call that failed is sent again.
template <class Exception>
CORBA::Boolean again(void*, CORBA::ULong, const Exception&) {
  if (now() >= call.expiration) return 0;
  std::this_thread::sleep_for(PAUSE);
  return 1;
}

inline void install() {
  omniORB::getInterceptors()->clientSendRequest.add(send);
  omniORB::installCommFailureExceptionHandler(nullptr, again<CORBA::COMM_FAILURE>);
  omniORB::installTransientExceptionHandler(nullptr, again<CORBA::TRANSIENT>);
}

}  // namespace ft

#endif
