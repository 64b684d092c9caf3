package org.tutti.verify.scenario;

/// A script that cannot be read or cannot be done, with its file and line.
final class ScriptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScriptException(String file, int line, String words) {
    super(file + ":" + line + ": " + words);
  }

  ScriptException(String file, int line, RuntimeException cause) {
    super(file + ":" + line + ": " + cause.getMessage(), cause);
  }
}
