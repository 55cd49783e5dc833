package assay.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The fields of a protobuf message: numbers and bytes. Fields of fixed size are passed over. */
final class ProtobufFields {
    /** The message is not protobuf. */
    static final class Broken extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static final class Field {
        final long number;
        final long value;
        /** Null for a number. */
        final byte[] bytes;

        Field(long number, long value, byte[] bytes) {
            this.number = number;
            this.value = value;
            this.bytes = bytes;
        }
    }

    private final List<Field> fields = new ArrayList<>();
    private final byte[] message;
    private int at;

    private ProtobufFields(byte[] message) {
        this.message = message;
    }

    static ProtobufFields of(byte[] message) throws Broken {
        ProtobufFields fields = new ProtobufFields(message);
        while (fields.at < message.length) {
            fields.readField();
        }
        return fields;
    }

    private void readField() throws Broken {
        long tag = varint();
        long number = tag >>> 3;
        switch ((int) (tag & 7)) {
            case 0:
                fields.add(new Field(number, varint(), null));
                break;
            case 1:
                take(8);
                break;
            case 2:
                fields.add(new Field(number, 0, take(varint())));
                break;
            case 5:
                take(4);
                break;
            default:
                throw new Broken();
        }
    }

    private byte[] take(long count) throws Broken {
        if (count < 0 || count > message.length - at) {
            throw new Broken();
        }
        at += (int) count;
        return Arrays.copyOfRange(message, at - (int) count, at);
    }

    private long varint() throws Broken {
        long number = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == message.length) {
                throw new Broken();
            }
            byte next = message[at++];
            number |= (next & 0x7FL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new Broken();
    }

    /** The last number of that field; 0 without one. */
    long number(int field) {
        return fields.stream().filter(each -> each.number == field && each.bytes == null).mapToLong(each -> each.value)
                .reduce(0, (earlier, later) -> later);
    }

    List<byte[]> allBytes(int field) {
        List<byte[]> all = new ArrayList<>();
        fields.stream().filter(each -> each.number == field && each.bytes != null).forEach(each -> all.add(each.bytes));
        return all;
    }

    /** The last bytes of that field; none without one. */
    byte[] bytes(int field) {
        List<byte[]> all = allBytes(field);
        return all.isEmpty() ? new byte[0] : all.get(all.size() - 1);
    }

    String text(int field) throws Broken {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(field))).toString();
        } catch (CharacterCodingException error) {
            throw new Broken();
        }
    }
}
