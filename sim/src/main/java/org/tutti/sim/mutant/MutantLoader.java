package org.tutti.sim.mutant;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.DebugElementsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Loads Tutti's classes a second time, one of them changed. Its classes know only each other and the JDK.
///
/// The invariants of the protocols are not checked there: a planted bug shows that what is told to applications is
/// looked at well enough, and an invariant would mostly be broken before anything wrong is told.
final class MutantLoader extends ClassLoader {
  private static final String OURS = "org.tutti.";
  private static final List<Edit> UNCHECKED =
      List.of(
          new Edit("org.tutti.engine.NodeEngine", "check", new Edit.Change.Return(0)),
          new Edit("org.tutti.ipc.protocol.IpcHost", "check", new Edit.Change.Return(0)),
          new Edit("org.tutti.sim.exhaustive.MemberModel", "check", new Edit.Change.Return(0)));

  private final Mutant mutant;
  private final List<Edit> edits;
  private final ClassLoader originals;

  MutantLoader(Mutant mutant) {
    super(ClassLoader.getPlatformClassLoader());
    this.mutant = mutant;
    this.edits = Stream.concat(mutant.edits().stream(), UNCHECKED.stream()).toList();
    this.originals = Objects.requireNonNull(MutantLoader.class.getClassLoader());
  }

  /// Loads the classes that are to be changed, so that a change that finds no target fails now.
  void check() {
    for (Edit edit : mutant.edits()) {
      try {
        loadClass(edit.owner());
      } catch (ClassNotFoundException e) {
        throw new IllegalStateException("mutant " + mutant.name() + ": there is no class " + edit.owner(), e);
      }
    }
  }

  /// Child first: asking the parent would find the originals, because the built-in loaders share the module graph.
  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : findClass(name);
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      throw new ClassNotFoundException(name);
    }
    byte[] bytes = read(name);
    for (Edit edit : edits) {
      if (edit.owner().equals(name)) {
        bytes = changed(edit, bytes);
      }
    }
    return defineClass(name, bytes, 0, bytes.length);
  }

  private byte[] read(String name) throws ClassNotFoundException {
    try (InputStream in = originals.getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] changed(Edit edit, byte[] bytes) {
    var resolver = ClassHierarchyResolver.ofResourceParsing(originals).orElse(ClassHierarchyResolver.defaultResolver());
    // A variable of code that an edit made dead has no slot left, so tables of variables would contradict the code.
    var files = ClassFile.of(ClassHierarchyResolverOption.of(resolver), DebugElementsOption.DROP_DEBUG);
    var count = new Edit.Count();
    byte[] changed = files.transformClass(files.parse(bytes), edit.transform(count));
    if (count.changes == 0) {
      throw new IllegalStateException("mutant " + mutant.name() + " finds nothing to change: " + edit);
    }
    return changed;
  }
}
