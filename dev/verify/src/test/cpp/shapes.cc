// Has requests of both byte orders executed by tutti::Delivery, and prints the replies: operation, status, body.

#include <cstdio>
#include <initializer_list>
#include <iostream>

#include "delivery.h"
#include "shapes.hh"

namespace {

class Shape : public POA_Shapes::Shape {
 public:
  Shapes::Values* mixed(CORBA::Octet first, CORBA::Long second) override {
    Shapes::Values_var all = new Shapes::Values;
    all->first = first;
    all->second = second;
    all->third = 3;
    all->fourth = 0.1;
    all->text = static_cast<const char*>("text");
    all->sixth = -6;
    all->seventh = 0x0102030405060708LL;
    return all._retn();
  }

  CORBA::WChar* wide() override { return CORBA::wstring_dup(L"gr\u00fcn \u20ac"); }

  // Leaves its bytes in memory that is used again.
  Shapes::Octets* filled(CORBA::Long count) override {
    Shapes::Octets_var all = new Shapes::Octets;
    all->length(count);
    for (CORBA::Long i = 0; i < count; i++) all[i] = 0xee;
    return all._retn();
  }

  void refuse() override { throw Shapes::Refused(7, -1); }
  void fail() override { throw CORBA::NO_PERMISSION(0x4711, CORBA::COMPLETED_NO); }
};

class Caller {
 public:
  explicit Caller(tutti::Delivery& delivery) : delivery_(delivery) {
    CORBA::Boolean used;
    Tutti::Servants_var all = delivery.begin("life", used);
    std::cout << all[0].object_key << " " << all[0].type_id << " " << int(used) << std::endl;
  }

  void call(const char* operation, bool little, std::initializer_list<int> arguments) {
    Tutti::Request what;
    what.object_key = static_cast<const char*>("Shape");
    what.operation = operation;
    what.giop_minor = 2;
    what.little_endian = little;
    what.arguments_at = 8;
    what.message.length(8 + arguments.size());
    CORBA::ULong at = 8;
    for (int each : arguments) what.message[at++] = each;
    Tutti::Reply_var reply = delivery_.deliver("life", ++number_, what);
    printf("%s %u ", operation, unsigned(reply->status));
    for (CORBA::ULong i = 0; i < reply->body.length(); i++) printf("%02x", reply->body[i]);
    printf("\n");
  }

 private:
  tutti::Delivery& delivery_;
  CORBA::ULongLong number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", tutti::options);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  Shape shape;
  PortableServer::ObjectId_var id = poa->activate_object(&shape);
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  tutti::Delivery delivery;
  delivery.add("Shape", &shape);
  Caller caller(delivery);
  for (int i = 0; i < 2; i++) {
    caller.call("mixed", false, {1, 0, 0, 0, 0, 0, 0, 2});
    caller.call("mixed", true, {1, 0, 0, 0, 2, 0, 0, 0});
    caller.call("filled", false, {0, 0, 0, 100});
  }
  caller.call("wide", false, {});
  caller.call("refuse", false, {});
  caller.call("fail", false, {});
  fflush(stdout);
  CORBA::Boolean used;
  delete delivery.begin("next", used);
  std::cout << "used " << int(used) << std::endl;
  for (CORBA::ULongLong number : {0, 2}) {
    try {
      delete delivery.deliver("next", number, Tutti::Request());
    } catch (const Tutti::OutOfOrder& e) {
      std::cout << "expected " << e.expected << std::endl;
    }
  }
  try {
    delete delivery.deliver("life", 1, Tutti::Request());
  } catch (const Tutti::OtherLife&) {
    std::cout << "other life" << std::endl;
  }
  poa->deactivate_object(id);
}
