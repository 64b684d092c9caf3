package org.tutti.engine;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/// The private fields of an object and of what it refers to, by paths as `groups.0.deliveries.sentNext`: a number is a
/// place in an array or a collection, or among the values of a map.
final class Innards {
  private final Object root;

  Innards(Object root) {
    this.root = root;
  }

  @SuppressWarnings("unchecked") // the caller knows what is there
  <T> T get(String path) {
    Object at = root;
    for (String step : path.split("\\.")) {
      at = step(at, step);
    }
    return (T) at;
  }

  long number(String path) {
    return this.<Number>get(path).longValue();
  }

  /// Changes a field, or a place in an array.
  void set(String path, Object value) {
    int dot = path.lastIndexOf('.');
    Object owner = dot < 0 ? root : get(path.substring(0, dot));
    String last = path.substring(dot + 1);
    try {
      if (owner.getClass().isArray()) {
        Array.set(owner, Integer.parseInt(last), value);
      } else {
        Field field = field(owner, last);
        field.set(owner, fitting(field.getType(), value));
      }
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /// Puts something into a collection that must not be there.
  void add(String path, Object element) {
    this.<Collection<Object>>get(path).add(element);
  }

  /// The same for a map.
  void put(String path, Object key, Object value) {
    this.<Map<Object, Object>>get(path).put(key, value);
  }

  /// Calls a method that is not for all: the one of this name with as many parameters.
  void call(String path, String name, Object... arguments) {
    Object of = get(path);
    try {
      for (Method method : of.getClass().getDeclaredMethods()) {
        if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
          method.setAccessible(true);
          method.invoke(of, arguments);
          return;
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
    throw new AssertionError("no method " + name);
  }

  void clear(String path) {
    this.<Collection<?>>get(path).clear();
  }

  /// Makes an object of a private class.
  static Object make(String type, Object... arguments) {
    try {
      Constructor<?> constructor = Class.forName("org.tutti." + type).getDeclaredConstructors()[0];
      constructor.setAccessible(true);
      return constructor.newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static Object step(Object at, String step) {
    if (!Character.isDigit(step.charAt(0))) {
      try {
        return field(at, step).get(at);
      } catch (IllegalAccessException e) {
        throw new AssertionError(e);
      }
    }
    int number = Integer.parseInt(step);
    if (at.getClass().isArray()) {
      return Array.get(at, number);
    }
    Collection<?> elements = at instanceof Map<?, ?> map ? map.values() : (Collection<?>) at;
    List<Object> list = new ArrayList<>(elements);
    return list.get(number);
  }

  private static Field field(Object of, String name) {
    try {
      Field field = of.getClass().getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new AssertionError(e);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // constants by their names
  private static Object fitting(Class<?> type, Object value) {
    if (type.isEnum() && value instanceof String name) {
      return Enum.valueOf((Class<Enum>) type, name);
    }
    return type == int.class && value instanceof Long number ? (Object) number.intValue() : value;
  }
}
