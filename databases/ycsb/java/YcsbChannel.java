package dbdyno;

import java.lang.reflect.InvocationTargetException;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.Vector;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** Calls a binding of YCSB. The numbers of operations and statuses are those of calls.rs and error.rs. */
public final class YcsbChannel extends Channel {
    private static final int ALL = -1;
    private static final int ALL_BY_NAME = -2;
    private static final int KEY_ONLY = -3;
    private static final Status[] STATUSES = {
        Status.OK, Status.BATCHED_OK, Status.NOT_FOUND, Status.NOT_IMPLEMENTED, Status.SERVICE_UNAVAILABLE,
        Status.BAD_REQUEST, Status.FORBIDDEN, Status.ERROR, Status.UNEXPECTED_STATE,
    };
    private static final Pattern VERSION = Pattern.compile("-(\\d[^/]*)\\.jar$");

    private Class<?> binding;
    private Properties properties;
    private DB database;
    private String table;
    private String[] fields;
    private String keyField;
    private boolean unread;

    public YcsbChannel() {}

    @Override
    protected void handle(int operation) throws Exception {
        switch (operation) {
            case 0: connect(); break;
            case 1: session(); break;
            case 2: init(); break;
            case 3: database.cleanup(); begin(); break;
            case 4: facts(); break;
            case 10: read(); break;
            case 11: scan(); break;
            case 12: answer(database.insert(table, readText(), readValues())); break;
            case 13: answer(database.update(table, readText(), readValues())); break;
            case 14: answer(database.delete(table, readText())); break;
            default: throw new IllegalStateException("unknown operation " + operation);
        }
    }

    private void connect() throws Exception {
        // Standard output belongs to results, and bindings print there as they like.
        System.setOut(System.err);
        String name = readText();
        YcsbChannel opened = new YcsbChannel();
        opened.properties = new Properties();
        for (int left = readInt(); left > 0; left--) {
            opened.properties.setProperty(readText(), readText());
        }
        begin();
        try {
            opened.binding = Class.forName(name, true, YcsbChannel.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            writeInt(1);
            return;
        }
        if (!DB.class.isAssignableFrom(opened.binding)) {
            writeInt(2);
            return;
        }
        writeInt(0);
        giveChild(opened);
    }

    private void session() throws Exception {
        YcsbChannel opened = new YcsbChannel();
        opened.table = readText();
        String keyField = readText();
        opened.keyField = keyField.isEmpty() ? null : keyField;
        opened.unread = readInt() != 0;
        opened.limit(readInt());
        opened.fields = new String[readInt()];
        for (int index = 0; index < opened.fields.length; index++) {
            opened.fields[index] = readText();
        }
        try {
            opened.database = (DB) binding.getDeclaredConstructor().newInstance();
        } catch (InvocationTargetException failure) {
            throw failure.getCause() instanceof Exception ? (Exception) failure.getCause() : failure;
        }
        // As in YCSB, the instances share one object of properties.
        opened.database.setProperties(properties);
        giveChild(opened);
        begin();
    }

    private void init() throws Exception {
        // Libraries look up their parts through the loader of the thread that uses them.
        Thread.currentThread().setContextClassLoader(YcsbChannel.class.getClassLoader());
        int milliseconds = readInt();
        database.init();
        limit(milliseconds);
        begin();
    }

    private void facts() {
        String[] texts = {version(binding), version(DB.class), place(binding)};
        begin();
        for (String text : texts) {
            writeText(text);
        }
    }

    private static String place(Class<?> of) {
        CodeSource source = of.getProtectionDomain().getCodeSource();
        return source == null ? "" : source.getLocation().getPath();
    }

    private static String version(Class<?> of) {
        Matcher name = VERSION.matcher(place(of));
        if (name.find()) {
            return name.group(1);
        }
        String stated = of.getPackage() == null ? null : of.getPackage().getImplementationVersion();
        return stated == null ? "" : stated;
    }

    /** Writes the status; whether values follow. */
    private boolean answer(Status status) {
        begin();
        if (status == Status.OK) {
            writeInt(0);
            return true;
        }
        if (status == null) {
            writeInt(STATUSES.length);
            writeText("null");
            writeText("it must answer a status");
            return false;
        }
        int number = Math.max(0, Arrays.asList(STATUSES).indexOf(status));
        if (number == 0) {
            // A status of the binding's own making.
            number = STATUSES.length;
        }
        writeInt(number);
        if (!status.isOk()) {
            writeText(String.valueOf(status.getName()));
            writeText(String.valueOf(status.getDescription()));
        }
        return status.isOk();
    }

    /** The fields to ask for; a set of its own for each call, as YCSB's workload makes it. */
    private Set<String> selected(int selected) {
        if (selected >= 0) {
            return new HashSet<>(Collections.singleton(fields[selected]));
        }
        if (selected == KEY_ONLY) {
            return new HashSet<>(Collections.singleton(keyField));
        }
        return selected == ALL_BY_NAME ? new HashSet<>(Arrays.asList(fields)) : null;
    }

    private Map<String, ByteIterator> readValues() {
        int count = readInt();
        HashMap<String, ByteIterator> values = new HashMap<>(Math.max(16, count * 2));
        for (int left = count; left > 0; left--) {
            String field = fields[readInt()];
            values.put(field, new ByteArrayByteIterator(readBytes()));
        }
        return values;
    }

    private void read() {
        String key = readText();
        int selected = readInt();
        HashMap<String, ByteIterator> result = new HashMap<>();
        if (answer(database.read(table, key, selected(selected), result))) {
            writeFields(result, selected);
        }
    }

    private void scan() {
        String from = readText();
        int limit = readInt();
        int selected = readInt();
        Set<String> names = selected(selected);
        if (names != null && keyField != null) {
            names.add(keyField);
        }
        Vector<HashMap<String, ByteIterator>> rows = new Vector<>();
        if (answer(database.scan(table, from, limit, names, rows))) {
            writeInt(rows.size());
            for (HashMap<String, ByteIterator> row : rows) {
                ByteIterator key = keyField == null ? null : row.get(keyField);
                write(key == null ? new byte[0] : key.toArray());
                writeFields(row, selected);
            }
        }
    }

    /** Writes the table's fields in their order, or none; what else the binding may have put there is left out. */
    private void writeFields(Map<String, ByteIterator> row, int selected) {
        int mark = mark();
        int count = 0;
        if (!unread && !row.isEmpty() && selected != KEY_ONLY) {
            int from = Math.max(0, selected);
            int end = selected >= 0 ? selected + 1 : fields.length;
            for (int index = from; index < end; index++) {
                ByteIterator value = row.get(fields[index]);
                if (value != null) {
                    writeInt(index);
                    write(value.toArray());
                    count++;
                }
            }
        }
        fill(mark, count);
    }
}
