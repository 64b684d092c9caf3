package org.tutti.lab;

import java.time.Duration;
import java.util.function.Consumer;

/// One line of a script: something is done to a lab, and then time passes.
///
/// @param what   in words
/// @param action does it
/// @param hold   how long it lasts until the next step
public record Step(String what, Consumer<Lab> action, Duration hold) {}
