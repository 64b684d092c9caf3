// A peer over IIOP that shares nothing with Tutti but tutti.idl and the layout of batches: C++, on omniORB.
//
//   omniidl -bcxx tutti.idl && g++ -o iiop-peer iiop-peer.cc tuttiSK.cc -lomniORB4 -lomnithread
//   iiop-peer -ORBendPoint giop:tcp:127.0.0.1: -ORBmaxServerThreadPerConnection 1
//
// By default omniORB, too, works on the requests of one connection with several threads, and so out of order.
// It prints the reference of its object. On standard input it is told: "self HOST:PORT", where it is, which it repeats;
// "send HOST:PORT COUNT", to send so many frames of its own. Each frame that comes is answered with one to the sender:
// how many were answered before (4 bytes), then the frame's bytes backwards. Answers are longer than what they answer,
// so those to one batch may need two. It ends with its input, or with 2 at the first mistake.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "tutti.hh"

namespace {

using Bytes = std::vector<uint8_t>;

// What a node takes in one batch, header included.
constexpr size_t BATCH_BYTES_MAX = 1 << 20;
constexpr size_t PREFIX_BYTES = 4;
constexpr size_t NUMBER_BYTES = 4;

std::mutex lock;
std::string self;
CORBA::ORB_var orb;

[[noreturn]] void mistake(const std::string& what) {
  std::cerr << what << std::endl;
  _Exit(2);
}

void put32(Bytes& to, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(uint8_t(value >> shift));
}

// Reads what it is asked for or ends the program.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;

  const uint8_t* take(size_t count) {
    if (size_t(end - at) < count) mistake("a batch ends too early");
    const uint8_t* from = at;
    at += count;
    return from;
  }
  uint8_t byte() { return *take(1); }
  uint32_t number() {
    const uint8_t* b = take(4);
    return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
  }
  std::string text(size_t count) {
    const uint8_t* b = take(count);
    return std::string(b, b + count);
  }
};

Bytes header(const std::string& to) {
  Bytes batch;
  put32(batch, 0x54757474);
  batch.push_back(1);
  batch.push_back(uint8_t(self.size()));
  batch.push_back(uint8_t(to.size()));
  batch.insert(batch.end(), self.begin(), self.end());
  batch.insert(batch.end(), to.begin(), to.end());
  return batch;
}

void send(const std::string& to, Bytes& batch) {
  static std::map<std::string, Tutti::Peer_var> peers;
  Tutti::Peer_var& peer = peers[to];
  if (CORBA::is_nil(peer)) {
    CORBA::Object_var object = orb->string_to_object(("corbaloc:iiop:1.2@" + to + "/TuttiPeer").c_str());
    peer = Tutti::Peer::_narrow(object);
    if (CORBA::is_nil(peer)) mistake("no peer at " + to);
  }
  peer->frames(Tutti::Batch(batch.size(), batch.size(), batch.data(), false));
}

class Servant : public POA_Tutti::Peer {
 public:
  void frames(const Tutti::Batch& carried) override {
    std::lock_guard<std::mutex> guard(lock);
    Reader in{carried.get_buffer(), carried.get_buffer() + carried.length()};
    if (in.number() != 0x54757474 || in.byte() != 1) mistake("not a batch of version 1");
    size_t fromBytes = in.byte();
    size_t toBytes = in.byte();
    std::string from = in.text(fromBytes);
    if (in.text(toBytes) != self) mistake("a batch for somebody else");
    Bytes answer = header(from);
    while (in.at < in.end) {
      uint32_t length = in.number();
      const uint8_t* frame = in.take(length);
      if (answer.size() + PREFIX_BYTES + NUMBER_BYTES + length > BATCH_BYTES_MAX) {
        send(from, answer);
        answer = header(from);
      }
      put32(answer, NUMBER_BYTES + length);
      put32(answer, answered++);
      for (uint32_t i = length; i > 0; i--) answer.push_back(frame[i - 1]);
    }
    send(from, answer);
  }

 private:
  uint32_t answered = 0;
};

// Frames of 1 to 2000 bytes, each the low byte of its number, a hundred in a batch.
void sendOwn(const std::string& to, uint32_t count) {
  std::lock_guard<std::mutex> guard(lock);
  for (uint32_t next = 0; next < count;) {
    Bytes batch = header(to);
    for (uint32_t end = std::min(count, next + 100); next < end; next++) {
      uint32_t length = 1 + next % 2000;
      put32(batch, length);
      batch.insert(batch.end(), length, uint8_t(next));
    }
    send(to, batch);
  }
}

void obey(std::istream& commands) {
  std::string line;
  while (std::getline(commands, line)) {
    std::istringstream words(line);
    std::string verb, address;
    uint32_t count = 0;
    words >> verb >> address >> count;
    if (verb == "self") {
      std::lock_guard<std::mutex> guard(lock);
      self = address;
      std::cout << line << std::endl;
    } else if (verb == "send") {
      sendOwn(address, count);
    } else {
      mistake("unknown command " + line);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    orb = CORBA::ORB_init(argc, argv);
    // The adapter whose object ids are whole object keys.
    CORBA::Object_var adapter = orb->resolve_initial_references("omniINSPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(adapter);
    PortableServer::Servant_var<Servant> servant = new Servant();
    PortableServer::ObjectId_var key = PortableServer::string_to_ObjectId("TuttiPeer");
    poa->activate_object_with_id(key, servant);
    PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    CORBA::Object_var own = poa->id_to_reference(key);
    std::cout << CORBA::String_var(orb->object_to_string(own)) << std::endl;
    obey(std::cin);
    orb->shutdown(false);
    _Exit(0);
  } catch (const CORBA::Exception& e) {
    mistake(std::string("CORBA: ") + e._name());
  }
}
