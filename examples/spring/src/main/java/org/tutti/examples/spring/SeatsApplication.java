package org.tutti.examples.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/// One replica of the seats, with a port for HTTP: run three of them.
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(ReplicaProperties.class)
public class SeatsApplication {
  /// For Spring.
  public SeatsApplication() {}

  /// Runs a replica until it is asked to end.
  ///
  /// @param args settings, such as `--tutti.name=n2`
  public static void main(String[] args) {
    SpringApplication.run(SeatsApplication.class, args);
  }
}
