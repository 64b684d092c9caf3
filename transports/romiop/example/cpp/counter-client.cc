// A client of the example in C++, on omniORB: calls what each line of its input says, on the reference that the line
// begins with. Calls are executed exactly once, by ft-request.h; with the argument "plain" it is an ordinary client.
//
//   omniidl -bcxx -Wbh=.hh ../counter.idl
//   g++ -std=c++17 -o counter-client counter-client.cc counterSK.cc -lomniORB4 -lomnithread

#include <iostream>
#include <sstream>
#include <string>

#include "counter.hh"
#include "ft-request.h"

namespace {

std::string call(Demo::Counter_ptr counter, const std::string& operation, long argument) {
  if (operation == "add") {
    return "sum " + std::to_string(counter->add(argument));
  } else if (operation == "adds") {
    // Each sum is one more than the one before, or a call was lost or executed twice.
    CORBA::Long sum = counter->add(1);
    for (long i = 1; i < argument; i++) {
      CORBA::Long next = counter->add(1);
      if (next != sum + 1) return "sum " + std::to_string(next) + " after " + std::to_string(sum);
      sum = next;
    }
    return "sum " + std::to_string(sum);
  } else if (operation == "mixed") {
    CORBA::Long sum = 0;
    for (long i = 0; i < argument; i++) {
      counter->note(("n" + std::to_string(i)).c_str());
      sum = counter->add(1);
    }
    return "sum " + std::to_string(sum);
  } else if (operation == "state") {
    // A long argument, which omniORB sends in fragments.
    Demo::State state;
    state.length(argument);
    for (long i = 0; i < argument; i++) state[i] = 0;
    state[3] = 7;
    counter->set_state(state);
    return "sum " + std::to_string(counter->add(0));
  }
  CORBA::String_var history = counter->history();
  return std::string(history);
}

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  if (argc < 2 || std::string(argv[1]) != "plain") ft::install();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string reference, operation;
    long argument = 0;
    words >> reference >> operation >> argument;
    try {
      CORBA::Object_var object = orb->string_to_object(reference.c_str());
      Demo::Counter_var counter = Demo::Counter::_narrow(object);
      std::cout << call(counter, operation, argument) << std::endl;
    } catch (const CORBA::SystemException& e) {
      std::cout << e._name() << " " << (e.minor() & 0xfff) << std::endl;
    }
  }
  orb->destroy();
}
