// A client of the group service in C++, on omniORB: calls what each line of its input says, on the reference that the
// line begins with. Calls are executed exactly once, by ft-request.h.
//
//   omniidl -bcxx -Wbh=.hh ../../src/main/idl/object-groups.idl
//   g++ -std=c++17 -o groups-client groups-client.cc object-groupsSK.cc -lomniORB4 -lomnithread

#include <iostream>
#include <sstream>
#include <string>

#include "object-groups.hh"
#include "../cpp/ft-request.h"

namespace {

// Adds members and removes them again, and says how many are there at the end. A call that was executed twice would end
// by MemberAlreadyPresent or MemberNotFound.
std::string change(TuttiGroups::ObjectGroupManager_ptr service, const TuttiGroups::ObjectGroupName& name, long times) {
  for (long i = 0; i < times; i++) {
    TuttiGroups::Member member;
    member.the_location = ("m" + std::to_string(i)).c_str();
    member.contact = "127.0.0.1:9";
    member.gateway = "127.0.0.1:10";
    CORBA::Object_var group = service->add_member(name, member);
    if (CORBA::is_nil(group)) return "no reference";
    if (i > 0) group = service->remove_member(name, ("m" + std::to_string(i - 1)).c_str());
  }
  TuttiGroups::Locations_var locations = service->locations_of_members(name);
  return std::to_string(locations->length()) + " " + std::string(locations[CORBA::ULong(0)]);
}

}  // namespace

int main(int argc, char** argv) {
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  ft::install();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string reference, cluster, group, key;
    long times = 0;
    words >> reference >> cluster >> group >> key >> times;
    TuttiGroups::ObjectGroupName name;
    name.cluster = cluster.c_str();
    name.group = group.c_str();
    name.object_key = key.c_str();
    try {
      CORBA::Object_var object = orb->string_to_object(reference.c_str());
      TuttiGroups::ObjectGroupManager_var service = TuttiGroups::ObjectGroupManager::_narrow(object);
      service->create_object_group(name, "IDL:Demo/Counter:1.0", "");
      std::cout << change(service, name, times) << std::endl;
    } catch (const CORBA::Exception& e) {
      std::cout << e._name() << std::endl;
    }
  }
  orb->destroy();
}
