package org.tutti.verify;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/// A Java file as the compiler's parser sees it: its lines, and the names and sizes of what it declares.
///
/// @param file where it is, below the root of the repository
/// @param lines its text
/// @param classes the simple names of all classes, nested ones too
/// @param methods every method and constructor with its length in lines
/// @param calls every called expression, such as `list.add`
record JavaSource(Path file, List<String> lines, List<String> classes, List<Method> methods, List<String> calls) {
  record Method(String name, long line, long length) {}

  boolean isTest() {
    return file.toString().contains("src/test/");
  }

  /// Reads files, all with one compiler: to start one takes longer than to parse a file.
  static List<JavaSource> read(Path root, List<Path> files) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var objects = manager.getJavaFileObjectsFromPaths(files);
      var task = (JavacTask) compiler.getTask(null, manager, _ -> {}, null, null, objects);
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      List<JavaSource> sources = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        Path file = Path.of(unit.getSourceFile().toUri());
        var source =
            new JavaSource(
                root.relativize(file),
                Files.readAllLines(file),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
        unit.accept(source.collector(unit, positions), null);
        sources.add(source);
      }
      return sources;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private TreeScanner<Void, Void> collector(CompilationUnitTree unit, SourcePositions positions) {
    LineMap map = unit.getLineMap();
    return new TreeScanner<>() {
      @Override
      public Void visitClass(ClassTree node, Void none) {
        classes.add(node.getSimpleName().toString());
        return super.visitClass(node, none);
      }

      @Override
      public Void visitMethod(MethodTree node, Void none) {
        long first = map.getLineNumber(positions.getStartPosition(unit, node));
        long last = map.getLineNumber(positions.getEndPosition(unit, node));
        methods.add(new Method(node.getName().toString(), first, last - first + 1));
        return super.visitMethod(node, none);
      }

      @Override
      public Void visitMethodInvocation(MethodInvocationTree node, Void none) {
        calls.add(node.getMethodSelect().toString());
        return super.visitMethodInvocation(node, none);
      }
    };
  }
}
