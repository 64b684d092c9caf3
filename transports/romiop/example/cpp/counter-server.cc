// The servant of the example in C++, on omniORB: a member of the group by `tutti corba delegate --delivery FILE`. It
// does what CounterServer.java does, so that members in both languages answer the same.
//
//   omniidl -bcxx -Wbh=.hh ../counter.idl ../../src/main/idl/delivery.idl
//   g++ -std=c++17 -idirafter /usr/include/omniORB4/internal -o counter-server counter-server.cc counterSK.cc
//       deliverySK.cc -lomniORB4 -lomnithread
//   ./counter-server FILE

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "counter.hh"
#include "delivery.h"

namespace {

class Counter : public POA_Demo::Counter {
 public:
  CORBA::Long add(CORBA::Long amount) override {
    sum_ += uint32_t(amount);
    happened("add " + std::to_string(amount));
    return CORBA::Long(sum_);
  }

  void note(const char* text) override { happened("note " + std::string(text)); }

  char* history() override {
    char text[64];
    snprintf(text, sizeof text, "%d calls, %x", int(calls_), history_);
    return CORBA::string_dup(text);
  }

  Demo::State* get_state() override {
    Demo::State_var state = new Demo::State;
    state->length(12);
    put(state, 0, sum_);
    put(state, 4, calls_);
    put(state, 8, history_);
    return state._retn();
  }

  void set_state(const Demo::State& state) override {
    if (state.length() < 12) throw CORBA::BAD_PARAM();
    sum_ = get(state, 0);
    calls_ = get(state, 4);
    history_ = get(state, 8);
  }

  CORBA::Long process() override { return getpid(); }

 private:
  void happened(const std::string& what) {
    uint32_t hash = 0;
    for (unsigned char each : what) hash = 31 * hash + each;  // that of a String in Java
    calls_++;
    history_ = 31 * history_ + hash;
  }

  static void put(Demo::State& state, CORBA::ULong at, uint32_t number) {
    for (int i = 0; i < 4; i++) state[at + i] = number >> (24 - 8 * i);
  }

  static uint32_t get(const Demo::State& state, CORBA::ULong at) {
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) number = number << 8 | state[at + i];
    return number;
  }

  uint32_t sum_ = 0;
  uint32_t calls_ = 0;
  uint32_t history_ = 17;
};

// At once: who reads it reads all of it.
void write(const std::string& file, const char* reference) {
  std::string next = file + ".next";
  std::ofstream(next) << reference << std::endl;
  if (rename(next.c_str(), file.c_str()) != 0) perror(file.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", tutti::options);
  if (argc < 2) {
    std::cerr << "counter-server FILE: where the reference for `tutti corba delegate` is written" << std::endl;
    return 2;
  }
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  Counter counter;
  tutti::Delivery delivery;
  PortableServer::ObjectId_var counterId = poa->activate_object(&counter);
  PortableServer::ObjectId_var deliveryId = poa->activate_object(&delivery);
  delivery.add("Counter", &counter);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  CORBA::Object_var itself = delivery._this();
  CORBA::String_var reference = orb->object_to_string(itself);
  write(argv[1], reference);
  std::cout << "ready" << std::endl;
  orb->run();
}
