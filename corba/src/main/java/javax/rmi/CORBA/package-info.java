/// What is left of the package of this name that the JDK had until Java 10.
@NullMarked
package javax.rmi.CORBA;

import org.jspecify.annotations.NullMarked;
