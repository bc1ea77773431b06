import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.key.KeyProvider;
import org.apache.hadoop.crypto.key.KeyProviderFactory;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/** Makes a key of this NAME and of so many BITS where the configuration says that keys are kept. */
public class HdfsKey {
    public static void main(String[] arguments) throws Exception {
        Configuration configuration = new HdfsConfiguration();
        KeyProvider keys = KeyProviderFactory.getProviders(configuration).get(0);
        KeyProvider.Options options = new KeyProvider.Options(configuration);
        options.setBitLength(Integer.parseInt(arguments[1]));
        keys.createKey(arguments[0], options);
        keys.flush();
    }
}
