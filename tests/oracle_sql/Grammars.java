import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import net.sourceforge.pmd.lang.LanguageProcessor;
import net.sourceforge.pmd.lang.LanguageProcessorRegistry;
import net.sourceforge.pmd.lang.LanguageRegistry;
import net.sourceforge.pmd.lang.PmdCapableLanguage;
import net.sourceforge.pmd.lang.ast.ParseException;
import net.sourceforge.pmd.lang.ast.Parser.ParserTask;
import net.sourceforge.pmd.lang.ast.SemanticErrorReporter;
import net.sourceforge.pmd.lang.document.FileId;
import net.sourceforge.pmd.lang.document.TextDocument;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Lexer;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.VocabularyImpl;
import org.antlr.v4.runtime.atn.ATN;
import org.antlr.v4.runtime.atn.ATNDeserializer;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/**
 * Two grammars of PL/SQL: ANTLR's, by the tables that grammar.mjs prints, and PMD's. Reads statements, parted by NUL
 * characters, and prints what is wrong: the statement's number, the grammar, the problem.
 *
 * <p>java -cp LIBRARIES Grammars.java GRAMMAR STATEMENTS_FOR_ANTLR STATEMENTS_FOR_PMD
 */
public final class Grammars {
    public static void main(String[] arguments) throws Exception {
        List<String> tables = Files.readAllLines(Path.of(arguments[0]));
        String[] forAntlr = Files.readString(Path.of(arguments[1])).split("\0", -1);
        String[] forPmd = Files.readString(Path.of(arguments[2])).split("\0", -1);
        Thread other = new Thread(() -> byPmd(forPmd));
        other.start();
        byAntlr(tables, forAntlr);
        other.join();
    }

    private static synchronized void tell(int number, String grammar, String problem) {
        System.out.println(number + "\t" + grammar + "\t" + problem.replaceAll("\\s+", " "));
    }

    private static void byAntlr(List<String> tables, String[] statements) {
        ATN lexing = atn(tables.get(0));
        ATN parsing = atn(tables.get(4));
        VocabularyImpl lexemes = new VocabularyImpl(names(tables.get(2)), names(tables.get(3)));
        VocabularyImpl tokens = new VocabularyImpl(names(tables.get(6)), names(tables.get(7)));
        // One of each for all statements: what they learn of the grammar with one they know for the next.
        Lexer lexer =
                new LexerInterpreter(
                        "PlSqlLexer",
                        lexemes,
                        List.of(names(tables.get(1))),
                        List.of(names(tables.get(8))),
                        List.of(names(tables.get(9))),
                        lexing,
                        CharStreams.fromString(""));
        List<String> rules = List.of(names(tables.get(5)));
        ParserInterpreter parser =
                new ParserInterpreter("PlSqlParser", tokens, rules, parsing, new CommonTokenStream(lexer));
        parser.getInterpreter().setPredictionMode(PredictionMode.SLL);
        for (int number = 0; number < statements.length; number++) {
            FirstProblem first = new FirstProblem();
            lexer.removeErrorListeners();
            lexer.addErrorListener(first);
            lexer.setInputStream(CharStreams.fromString(statements[number]));
            parser.removeErrorListeners();
            parser.addErrorListener(first);
            parser.setTokenStream(new CommonTokenStream(lexer));
            try {
                parser.parse(rules.indexOf("sql_script"));
            } catch (ParseCancellationException stopped) {
                // The first problem is enough.
            } finally {
                if (first.problem != null) {
                    tell(number, "ANTLR", first.problem);
                }
            }
        }
    }

    private static ATN atn(String numbers) {
        return new ATNDeserializer().deserialize(Arrays.stream(numbers.split(" ")).mapToInt(Integer::parseInt).toArray());
    }

    private static String[] names(String line) {
        String[] names = line.split("\t", -1);
        return Arrays.stream(names).map(name -> name.isEmpty() ? null : name).toArray(String[]::new);
    }

    private static void byPmd(String[] statements) {
        var language = (PmdCapableLanguage) LanguageRegistry.PMD.getLanguageById("plsql");
        try (LanguageProcessor processor = language.createProcessor(language.newPropertyBundle())) {
            var parser = processor.services().getParser();
            var registry = LanguageProcessorRegistry.singleton(processor);
            for (int number = 0; number < statements.length; number++) {
                try (TextDocument document =
                        TextDocument.readOnlyString(
                                statements[number], FileId.fromPathLikeString("s.sql"), language.getDefaultVersion())) {
                    parser.parse(new ParserTask(document, SemanticErrorReporter.noop(), registry));
                } catch (ParseException problem) {
                    tell(number, "PMD", problem.getMessage());
                } catch (RuntimeException | Error problem) {
                    tell(number, "PMD", problem.toString());
                }
            }
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** What the grammar said first. */
    private static final class FirstProblem extends BaseErrorListener {
        private String problem;

        @Override
        public void syntaxError(
                Recognizer<?, ?> recognizer, Object symbol, int line, int column, String message, RecognitionException error) {
            if (problem == null) {
                problem = line + ":" + column + " " + message.substring(0, Math.min(message.length(), 160));
            }
            throw new ParseCancellationException(problem);
        }
    }
}
