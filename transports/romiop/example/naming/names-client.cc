// A client of a naming service in C++, on omniORB: binds and resolves as many names as each line of its input says, on
// the reference that the line begins with. Calls are executed exactly once, by ft-request.h.
//
//   g++ -std=c++17 -o names-client names-client.cc -lomniORB4 -lomnithread

#include <iostream>
#include <sstream>
#include <string>

#include <omniORB4/Naming.hh>

#include "../cpp/ft-request.h"

namespace {

// A call that was executed twice would end by AlreadyBound.
long bind(CosNaming::NamingContext_ptr root, long count) {
  CosNaming::Name name;
  name.length(1);
  name[0].id = "many";
  CosNaming::NamingContext_var context = root->bind_new_context(name);
  long found = 0;
  name.length(2);
  for (long i = 0; i < count; i++) {
    name[1].id = ("o" + std::to_string(i)).c_str();
    root->bind(name, root);
    CORBA::Object_var object = root->resolve(name);
    if (!CORBA::is_nil(object)) found++;
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  ft::install();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string reference;
    long count = 0;
    words >> reference >> count;
    try {
      CORBA::Object_var object = orb->string_to_object(reference.c_str());
      CosNaming::NamingContext_var root = CosNaming::NamingContext::_narrow(object);
      std::cout << bind(root, count) << " found" << std::endl;
    } catch (const CORBA::Exception& e) {
      std::cout << e._name() << std::endl;
    }
  }
  orb->destroy();
}
