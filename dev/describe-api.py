#!/usr/bin/python3
"""Prints a FileDescriptorSet, which protoc has written with its source info, as a Swift file. Used by dev/generate-protos.sh.

Of the source info only the comments are kept, with the places that they belong to: they are what documents and reflection show."""
import base64
import sys

from google.protobuf.descriptor_pb2 import FileDescriptorSet

WIDTH = 120

with open(sys.argv[1], "rb") as file:
    descriptors = FileDescriptorSet.FromString(file.read())
for file in descriptors.file:
    locations = file.source_code_info.location
    for index in reversed(range(len(locations))):
        if locations[index].leading_comments or locations[index].trailing_comments:
            del locations[index].leading_detached_comments[:]
        else:
            del locations[index]
text = base64.b64encode(descriptors.SerializeToString(deterministic=True)).decode()

print("// DO NOT EDIT.")
print("// swift-format-ignore-file")
print("//")
print("// Written by dev/generate-protos.sh from the .proto files of the API.")
print()
print("/// The .proto files of the API with their comments, in Base64: a `google.protobuf.FileDescriptorSet`, in which each file follows those")
print("/// that it imports.")
print("enum APIDescriptors {")
print('    static let base64: StaticString = """')
print("\\\n".join(f"        {text[start:start + WIDTH]}" for start in range(0, len(text), WIDTH)))
print('        """')
print("}")
