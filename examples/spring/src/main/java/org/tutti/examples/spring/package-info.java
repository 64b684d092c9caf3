/// A replicated service as an application of Spring Boot: seats that are taken over HTTP, at any of its replicas.
@NullMarked
package org.tutti.examples.spring;

import org.jspecify.annotations.NullMarked;
