import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import site.ycsb.RandomByteIterator;
import site.ycsb.generator.AcknowledgedCounterGenerator;
import site.ycsb.generator.DiscreteGenerator;
import site.ycsb.generator.HistogramGenerator;
import site.ycsb.generator.NumberGenerator;
import site.ycsb.generator.ScrambledZipfianGenerator;
import site.ycsb.generator.SequentialGenerator;
import site.ycsb.generator.ZipfianGenerator;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * Asks YCSB's own classes what they do and writes the answers as tab-separated fixtures.
 *
 * All of YCSB's randomness comes from ThreadLocalRandom. Its seed is a field of the thread, which we set: so the files are
 * the same every time, and we can ask "which u will you draw?" before asking "what do you make of it?".
 */
public final class Oracle extends CoreWorkload {
  private static final int DRAWS = 200_000;
  private static Field seedField;

  private Oracle() {
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    Files.createDirectories(folder);
    seedField = Thread.class.getDeclaredField("threadLocalRandomSeed");
    seedField.setAccessible(true);
    ThreadLocalRandom.current();
    Measurements.setProperties(new Properties());

    keyNames(folder);
    integrityValues(folder);
    zipfianConstants(folder);
    zipfianRanks(folder);
    scrambledChoices(folder);
    latestRanks(folder);
    histogramLengths(folder);
    counters(folder);
    keyCounts(folder);
    lengthCounts(folder);
    byteCounts(folder);
    operationCounts(folder);
  }

  /** Starts the thread's random numbers anew. */
  private static void seed(long value) throws IllegalAccessException {
    seedField.setLong(Thread.currentThread(), value);
  }

  /** The double that the next call will draw, without drawing it. */
  private static double peekDouble() throws IllegalAccessException {
    long before = seedField.getLong(Thread.currentThread());
    double next = ThreadLocalRandom.current().nextDouble();
    seed(before);
    return next;
  }

  private static PrintWriter open(Path folder, String name, String columns) throws IOException {
    PrintWriter writer = new PrintWriter(Files.newBufferedWriter(folder.resolve(name), StandardCharsets.UTF_8));
    writer.print("# Written by xtask/ycsb-oracle from site.ycsb:core 0.17.0; do not edit.\n# " + columns + "\n");
    return writer;
  }

  private static Oracle workload(String... settings) throws Exception {
    Properties properties = new Properties();
    for (String setting : settings) {
      String[] parts = setting.split("=", 2);
      properties.setProperty(parts[0], parts[1]);
    }
    Oracle workload = new Oracle();
    workload.init(properties);
    return workload;
  }

  private static Object call(Oracle workload, String method, Class<?>[] types, Object... values) throws Exception {
    Method declared = CoreWorkload.class.getDeclaredMethod(method, types);
    declared.setAccessible(true);
    return declared.invoke(workload, values);
  }

  private static void keyNames(Path folder) throws Exception {
    long[] numbers = {0, 1, 2, 3, 4, 5, 9, 10, 99, 100, 255, 256, 65535, 65536, 999999, 1000000, 2147483647L,
        2147483648L, 3000000000L, 1L << 40, 123456789012345678L, Long.MAX_VALUE};
    try (PrintWriter writer = open(folder, "key_names.tsv", "insertorder, zeropadding, number, name")) {
      for (String order : new String[] {"hashed", "ordered"}) {
        for (int padding : new int[] {0, 1, 8, 19, 20, 24, 25, 40}) {
          Oracle workload = workload("recordcount=100", "insertorder=" + order, "zeropadding=" + padding);
          for (long number : numbers) {
            writer.print(order + "\t" + padding + "\t" + number + "\t" + workload.buildKeyName(number) + "\n");
          }
        }
      }
    }
  }

  private static void integrityValues(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "integrity.tsv", "length, key, field, value")) {
      for (int length : new int[] {1, 10, 27, 28, 33, 40, 100, 333}) {
        Oracle workload = workload("recordcount=100", "dataintegrity=true", "fieldlength=" + length);
        for (long number = 0; number < 6; number++) {
          String key = workload.buildKeyName(number);
          for (String field : new String[] {"field0", "field9"}) {
            Object value = call(workload, "buildDeterministicValue", new Class<?>[] {String.class, String.class},
                key, field);
            writer.print(length + "\t" + key + "\t" + field + "\t" + value + "\n");
          }
        }
      }
    }
  }

  private static double constant(ZipfianGenerator generator, String name) throws Exception {
    Field field = ZipfianGenerator.class.getDeclaredField(name);
    field.setAccessible(true);
    return field.getDouble(generator);
  }

  private static void zipfianConstants(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "zipfian_constants.tsv", "items (scrambled: the inner one), zeta, eta")) {
      for (long items : new long[] {1, 2, 3, 10, 64, 65, 100, 1000, 100000, 1000000, 10000000}) {
        ZipfianGenerator generator = new ZipfianGenerator(items);
        writer.print(items + "\t" + constant(generator, "zetan") + "\t" + constant(generator, "eta") + "\n");
      }
      Field inner = ScrambledZipfianGenerator.class.getDeclaredField("gen");
      inner.setAccessible(true);
      ZipfianGenerator generator = (ZipfianGenerator) inner.get(new ScrambledZipfianGenerator(1000));
      writer.print("scrambled\t" + constant(generator, "zetan") + "\t" + constant(generator, "eta") + "\n");
    }
  }

  private static void zipfianRanks(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "zipfian_ranks.tsv", "items, bits of u, rank")) {
      for (long items : new long[] {1, 2, 3, 10, 100, 1000, 1000000}) {
        ZipfianGenerator generator = new ZipfianGenerator(items);
        seed(items);
        for (int draw = 0; draw < 200; draw++) {
          String u = Long.toHexString(Double.doubleToLongBits(peekDouble()));
          writer.print(items + "\t" + u + "\t" + generator.nextValue() + "\n");
        }
      }
    }
  }

  private static void scrambledChoices(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "scrambled.tsv", "min, max, bits of u, choice")) {
      for (long[] range : new long[][] {{0, 0}, {0, 999}, {0, 1000}, {7, 1000000}, {0, (1L << 40)}, {5, 4095 + 5}}) {
        ScrambledZipfianGenerator generator = new ScrambledZipfianGenerator(range[0], range[1]);
        seed(range[1] + 1);
        for (int draw = 0; draw < 200; draw++) {
          String u = Long.toHexString(Double.doubleToLongBits(peekDouble()));
          writer.print(range[0] + "\t" + range[1] + "\t" + u + "\t" + generator.nextValue() + "\n");
        }
      }
    }
  }

  /** The `latest` generator while the table grows from 1000 records: what it draws when `last` is the newest key. */
  private static void latestRanks(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "latest.tsv", "records at the start, newest key, bits of u, key")) {
      for (int records : new int[] {2, 10, 1000, 50000}) {
        Oracle workload = workload("recordcount=" + records, "requestdistribution=latest");
        Field inserts = CoreWorkload.class.getDeclaredField("transactioninsertkeysequence");
        inserts.setAccessible(true);
        AcknowledgedCounterGenerator counter = (AcknowledgedCounterGenerator) inserts.get(workload);
        seed(records);
        for (int draw = 0; draw < 200; draw++) {
          String u = Long.toHexString(Double.doubleToLongBits(peekDouble()));
          long newest = counter.lastValue();
          Object key = call(workload, "nextKeynum", new Class<?>[] {});
          writer.print(records + "\t" + newest + "\t" + u + "\t" + key + "\n");
          for (int insert = 0; insert < draw % 4; insert++) {
            counter.acknowledge(counter.nextValue());
          }
        }
      }
    }
  }

  private static final long[] BUCKETS = {3, 0, 5, 1, 0, 7};

  private static void histogramLengths(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "histogram_lengths.tsv", "buckets, block size, number drawn, length")) {
      for (long[] buckets : new long[][] {BUCKETS, {4}, {1, 1}}) {
        HistogramGenerator generator = new HistogramGenerator(buckets, 10);
        long area = 0;
        List<String> texts = new ArrayList<>();
        for (long bucket : buckets) {
          area += bucket;
          texts.add(Long.toString(bucket));
        }
        TreeMap<Integer, Object> lengths = new TreeMap<>();
        for (long seed = 0; lengths.size() < area; seed++) {
          seed(seed * 7919);
          int number = ThreadLocalRandom.current().nextInt((int) area);
          seed(seed * 7919);
          lengths.put(number, generator.nextValue());
        }
        for (int number : lengths.keySet()) {
          writer.print(String.join(",", texts) + "\t10\t" + number + "\t" + lengths.get(number) + "\n");
        }
      }
    }
  }

  private static void counters(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "sequential.tsv", "start, records, keys in order")) {
      for (long[] range : new long[][] {{0, 5}, {3, 10}}) {
        SequentialGenerator generator = new SequentialGenerator(range[0], range[0] + range[1] - 1);
        List<String> keys = new ArrayList<>();
        for (int draw = 0; draw < 25; draw++) {
          keys.add(generator.nextValue().toString());
        }
        writer.print(range[0] + "\t" + range[1] + "\t" + String.join(",", keys) + "\n");
      }
    }
  }

  private static void keyCounts(Path folder) throws Exception {
    String[][] cases = {
        {"requestdistribution=uniform"},
        {"requestdistribution=zipfian", "operationcount=1000"},
        {"requestdistribution=zipfian", "operationcount=1000", "insertproportion=0.05"},
        {"requestdistribution=zipfian", "operationcount=1000", "insertstart=50"},
        {"requestdistribution=latest"},
        {"requestdistribution=hotspot"},
        {"requestdistribution=hotspot", "hotspotdatafraction=0.1", "hotspotopnfraction=0.5"},
        {"requestdistribution=exponential"},
        {"requestdistribution=exponential", "exponential.percentile=90", "exponential.frac=0.25"},
    };
    try (PrintWriter writer = open(folder, "key_counts.tsv",
        "settings (recordcount=200 beside them), counts of keys 0 to 199 in " + DRAWS + " draws")) {
      long start = 1;
      for (String[] settings : cases) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("recordcount=200");
        Oracle workload = workload(all.toArray(new String[0]));
        seed(start++);
        int[] counts = new int[200];
        for (int draw = 0; draw < DRAWS; draw++) {
          counts[((Number) call(workload, "nextKeynum", new Class<?>[] {})).intValue()]++;
        }
        writer.print(String.join(" ", settings) + "\t" + joined(counts) + "\n");
      }
    }
  }

  private static void lengthCounts(Path folder) throws Exception {
    Path histogram = Files.createTempFile("ycsb-oracle", ".txt");
    StringBuilder text = new StringBuilder("BlockSize\t10\n");
    for (int bucket = 0; bucket < BUCKETS.length; bucket++) {
      text.append(bucket).append('\t').append(BUCKETS[bucket]).append('\n');
    }
    Files.writeString(histogram, text);
    try (PrintWriter writer = open(folder, "length_counts.tsv",
        "what, settings, counts of lengths 0 to 100 in " + DRAWS + " draws")) {
      long start = 100;
      for (String[] settings : new String[][] {
          {"fieldlengthdistribution=uniform", "minfieldlength=20", "fieldlength=60"},
          {"fieldlengthdistribution=zipfian", "minfieldlength=5", "fieldlength=100"},
          {"fieldlengthdistribution=histogram"}}) {
        Properties properties = new Properties();
        for (String setting : settings) {
          properties.setProperty(setting.split("=")[0], setting.split("=")[1]);
        }
        properties.setProperty("fieldlengthhistogram", histogram.toString());
        NumberGenerator generator = getFieldLengthGenerator(properties);
        seed(start++);
        writer.print("field\t" + String.join(" ", settings) + "\t" + joined(lengths(generator)) + "\n");
      }
      for (String[] settings : new String[][] {
          {"scanlengthdistribution=uniform", "maxscanlength=100"},
          {"scanlengthdistribution=zipfian", "minscanlength=10", "maxscanlength=100"}}) {
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("recordcount=200");
        Oracle workload = workload(all.toArray(new String[0]));
        seed(start++);
        writer.print("scan\t" + String.join(" ", settings) + "\t" + joined(lengths(workload.scanlength)) + "\n");
      }
    } finally {
      Files.delete(histogram);
    }
  }

  private static int[] lengths(NumberGenerator generator) {
    int[] counts = new int[101];
    for (int draw = 0; draw < DRAWS; draw++) {
      counts[generator.nextValue().intValue()]++;
    }
    return counts;
  }

  private static void byteCounts(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "byte_counts.tsv",
        "position in a value modulo 6, counts of bytes 32 to 127 (values of 100 bytes)")) {
      seed(200);
      int[][] counts = new int[6][96];
      for (int value = 0; value < 6_000; value++) {
        byte[] bytes = new RandomByteIterator(100).toArray();
        for (int at = 0; at < bytes.length; at++) {
          counts[at % 6][bytes[at] - 32]++;
        }
      }
      for (int at = 0; at < 6; at++) {
        writer.print(at + "\t" + joined(counts[at]) + "\n");
      }
    }
  }

  private static void operationCounts(Path folder) throws Exception {
    try (PrintWriter writer = open(folder, "operation_counts.tsv",
        "settings, counts of READ, UPDATE, INSERT, SCAN, READMODIFYWRITE in " + DRAWS + " draws")) {
      long start = 300;
      for (String settings : new String[] {"",
          "readproportion=0.5 updateproportion=0.5",
          "readproportion=3 updateproportion=2 insertproportion=1 scanproportion=1 readmodifywriteproportion=0.5"}) {
        Properties properties = new Properties();
        for (String setting : settings.split(" ")) {
          if (!setting.isEmpty()) {
            properties.setProperty(setting.split("=")[0], setting.split("=")[1]);
          }
        }
        DiscreteGenerator generator = createOperationGenerator(properties);
        seed(start++);
        int[] counts = new int[5];
        List<String> kinds = List.of("READ", "UPDATE", "INSERT", "SCAN", "READMODIFYWRITE");
        for (int draw = 0; draw < DRAWS; draw++) {
          counts[kinds.indexOf(generator.nextValue())]++;
        }
        writer.print(settings + "\t" + joined(counts) + "\n");
      }
    }
  }

  private static String joined(int[] counts) {
    List<String> texts = new ArrayList<>();
    for (int count : counts) {
      texts.add(Integer.toString(count));
    }
    return String.join(",", texts);
  }
}
