import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogProcessor;
import org.HdrHistogram.HistogramLogReader;

/**
 * Reads an interval log that dbdyno wrote with HdrHistogram's own reader and processor, and compares what they find with
 * what crates/record/examples/write_log.rs put in. Exit status 1 and a sentence when something differs.
 */
public final class HdrCheck {
  private static final long STARTED_AT_MS = 1_767_323_045_500L; // 2026-01-02T03:04:05.500Z
  private static final int INTERVALS = 10;

  public static void main(String[] arguments) throws Exception {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("usage: HdrCheck LOG");
    }
    readEveryInterval(new File(arguments[0]));
    processWithTheStandardTool(arguments[0]);
    System.out.println("HdrHistogram's reader and processor find what was written");
  }

  private static void readEveryInterval(File log) throws Exception {
    Map<String, Histogram> byTag = new TreeMap<>();
    int intervals = 0;
    try (HistogramLogReader reader = new HistogramLogReader(log)) {
      while (reader.hasNext()) {
        EncodableHistogram read = reader.nextIntervalHistogram();
        check("an interval can be decoded", read != null);
        Histogram interval = (Histogram) read;
        long start = STARTED_AT_MS + 1000L * (intervals / 2);
        same("start of interval " + intervals, start, interval.getStartTimeStamp());
        same("end of interval " + intervals, start + 1000, interval.getEndTimeStamp());
        byTag.computeIfAbsent(interval.getTag(), tag -> new Histogram(3)).add(interval);
        intervals++;
      }
      same("start of the log", STARTED_AT_MS, Math.round(reader.getStartTimeSec() * 1000));
    }
    same("intervals", 2 * INTERVALS, intervals);
    check("tags are " + byTag.keySet(), byTag.keySet().equals(Map.of("measure.read", 0, "measure.update", 0).keySet()));

    Histogram reads = byTag.get("measure.read");
    same("reads", 1000L * INTERVALS, reads.getTotalCount());
    within("median of reads", 500_000, reads.getValueAtPercentile(50));
    within("99th percentile of reads", 990_000, reads.getValueAtPercentile(99));
    within("smallest read", 1_000, reads.getMinNonZeroValue());
    within("largest read", 1_000_000, reads.getMaxValue());
    within("mean of reads", 500_500, Math.round(reads.getMean()));

    Histogram updates = byTag.get("measure.update");
    same("updates", INTERVALS / 2, updates.getTotalCount());
    within("largest update", 7_200_000_000_000L, updates.getMaxValue());
  }

  /** The command line tool people have: percentiles of one tag, with its default unit of milliseconds. */
  private static void processWithTheStandardTool(String log) throws Exception {
    Path output = Files.createTempDirectory("hdr-check").resolve("reads");
    PrintStream console = System.out;
    HistogramLogProcessor processor =
        new HistogramLogProcessor(new String[] {"-i", log, "-tag", "measure.read", "-o", output.toString(), "-csv"});
    processor.start();
    processor.join();
    System.setOut(console);
    List<String> lines = Files.readAllLines(Path.of(output + ".hgrm"));
    // "Value","Percentile","TotalCount","1/(1-Percentile)": the last row holds all reads and the largest, about 1 ms.
    String[] last = lines.stream().filter(line -> line.matches("[0-9].*")).reduce((first, second) -> second)
        .orElseThrow(() -> new IllegalStateException("the processor found no reads")).split(",");
    check("the processor's largest read is " + last[0] + " ms", Math.abs(Double.parseDouble(last[0]) - 1.0) < 0.002);
    check("the processor counts " + last[2] + " reads", Long.parseLong(last[2]) == 1000L * INTERVALS);
  }

  /** Three significant digits are what a histogram keeps. */
  private static void within(String what, long expected, long found) {
    check(what + " is " + found + ", not " + expected, Math.abs(found - expected) <= expected / 1000 + 1);
  }

  private static void same(String what, long expected, long found) {
    check(what + " is " + found + ", not " + expected, expected == found);
  }

  private static void check(String what, boolean holds) {
    if (!holds) {
      System.err.println("HdrHistogram reads something else than was written: " + what);
      System.exit(1);
    }
  }
}
