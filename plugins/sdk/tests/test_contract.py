#!/usr/bin/python3 -B
"""The rules of proto/assay/plugin/v1, held against its descriptors: what generators for C and Swift need, and what keeps decoding bounded."""
import pathlib
import subprocess
import tempfile
import unittest

from google.protobuf import descriptor_pb2

PROTO = pathlib.Path(__file__).resolve().parents[3] / "proto"
FILES = ("assay/plugin/v1/plugin.proto", "assay/plugin/v1/host.proto")

Field = descriptor_pb2.FieldDescriptorProto

# Keywords of C and C++ that generated code would have to escape, names that libprotobuf-c takes for itself, and members that every
# Swift or Python message has already.
TROUBLE = set(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return "
    "short signed sizeof static struct switch typedef union unsigned void volatile while bool class delete new private protected public "
    "template this throw try virtual operator namespace using and or not xor "
    "base descriptor "
    "description hash hashValue init self Self Type protocol extension func let var in is as nil true false default where guard defer "
    "repeat fallthrough associatedtype internal fileprivate open rethrows throws subscript typealias import any some async await actor "
    "from global lambda None True False pass raise yield with nonlocal del elif except finally assert".split())

# Fields of type string are for people. What is compared is bytes.
TEXT_FOR_PEOPLE = {"version", "daemon_version", "meaning", "path", "sentence", "detail", "problem", "message", "value", "vendor_code"}


def file_descriptors():
    with tempfile.NamedTemporaryFile() as output:
        subprocess.run(
            ["protoc", f"--proto_path={PROTO}", f"--descriptor_set_out={output.name}", *FILES], check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(output.name).read_bytes()).file


def messages(files):
    """Every message by its full name, nested ones too."""
    found = {}

    def add(prefix, message):
        name = f"{prefix}.{message.name}"
        found[name] = message
        for nested in message.nested_type:
            add(name, nested)

    for file in files:
        for message in file.message_type:
            add("." + file.package, message)
    return found


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = file_descriptors()
        cls.messages = messages(cls.files)

    def fields(self):
        for name, message in self.messages.items():
            for field in message.field:
                yield f"{name}.{field.name}", field

    def test_there_are_messages(self):
        self.assertGreater(len(self.messages), 40)

    def test_no_message_contains_itself(self):
        def reach(name, path):
            self.assertNotIn(name, path, " → ".join((*path, name)))
            for field in self.messages[name].field:
                if field.type == Field.TYPE_MESSAGE:
                    self.assertIn(field.type_name, self.messages, "only messages of this package")
                    reach(field.type_name, (*path, name))

        for name in self.messages:
            reach(name, ())

    def test_no_name_needs_escaping(self):
        for name, field in self.fields():
            self.assertNotIn(field.name, TROUBLE, name)
        for file in self.files:
            for service in file.service:
                for method in service.method:
                    self.assertNotIn(method.name.lower(), TROUBLE, method.name)

    def test_nothing_that_generators_for_c_refuse(self):
        for file in self.files:
            self.assertEqual(file.syntax, "proto3")
        for name, field in self.fields():
            self.assertFalse(field.proto3_optional, f"{name} is optional")
            self.assertNotEqual(field.type, Field.TYPE_GROUP, name)
        for name, message in self.messages.items():
            self.assertFalse(message.options.map_entry, f"{name} is of a map")

    def test_what_is_compared_is_bytes(self):
        for name, field in self.fields():
            if field.type == Field.TYPE_STRING and not name.startswith(".assay.plugin.v1.LogField."):
                self.assertIn(field.name, TEXT_FOR_PEOPLE, f"{name} is a string")

    def test_no_call_is_a_stream(self):
        for file in self.files:
            for service in file.service:
                for method in service.method:
                    self.assertFalse(method.client_streaming or method.server_streaming, method.name)

    def test_the_rules_find_what_they_are_for(self):
        loop = descriptor_pb2.DescriptorProto(name="Loop")
        loop.field.add(name="again", type=Field.TYPE_MESSAGE, type_name=".assay.plugin.v1.Loop")
        with_loop = Contract("test_no_message_contains_itself")
        with_loop.messages = {".assay.plugin.v1.Loop": loop}
        with self.assertRaises(AssertionError):
            with_loop.test_no_message_contains_itself()


if __name__ == "__main__":
    unittest.main()
