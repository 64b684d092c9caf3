package org.tutti.romiop;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Properties;
import java.util.spi.ToolProvider;

/// Runs a [Delegate] until it is interrupted or is no member any more: what `tutti corba delegate` runs. It is found as
/// a service, as the command knows nothing of CORBA.
///
/// ```java
/// ToolProvider.findFirst("tutti-corba-delegate").orElseThrow().run(out, err, "tutti.romiop.name=s3", ...);
/// ```
///
/// Arguments are properties. It writes a line to `out` when it carries requests, and one to `err` when it does not, or
/// not any more; then it returns 1. Interrupted, it leaves the group and returns 0.
public final class DelegateTool implements ToolProvider {
  /// For the loader of services.
  public DelegateTool() {}

  @Override
  public String name() {
    return "tutti-corba-delegate";
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    Properties properties = new Properties();
    for (String each : args) {
      int equals = each.indexOf('=');
      if (equals <= 0) {
        err.println("no property: " + each);
        return 1;
      }
      properties.setProperty(each.substring(0, equals), each.substring(equals + 1));
    }
    try (Delegate delegate = Delegate.start(properties)) {
      String group = properties.getProperty("tutti.romiop.group");
      out.println(properties.getProperty("tutti.romiop.name") + " carries the requests of group " + group);
      out.flush();
      err.println("no member of group " + group + " any more: " + delegate.awaitEnd());
    } catch (IOException | IllegalArgumentException e) {
      err.println(e.getMessage());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return 0;
    } finally {
      err.flush();
    }
    return 1;
  }
}
