# An nbdkit plugin: a disk in memory that writes down every write and flush it is given.
#
# An entry of the record is a byte (0 write, 1 flush), an offset (8 bytes), a length (4
# bytes), both little-endian, and the bytes that were written. The record is appended to:
# the session writes its acknowledgements between the entries.
import io
import struct

import nbdkit

API_VERSION = 2
disk = bytearray()
record = None


def config(key, value):
    global disk, record
    if key == "size":
        disk = bytearray(int(value))
    elif key == "record":
        record = io.FileIO(value, "a")


def thread_model():
    return nbdkit.THREAD_MODEL_SERIALIZE_ALL_REQUESTS


def open(readonly):
    return 1


def get_size(handle):
    return len(disk)


def pread(handle, buffer, offset, flags):
    buffer[:] = disk[offset : offset + len(buffer)]


def pwrite(handle, buffer, offset, flags):
    record.write(struct.pack("<BQI", 0, offset, len(buffer)) + bytes(buffer))
    disk[offset : offset + len(buffer)] = buffer
    if flags & nbdkit.FLAG_FUA:
        flush(handle, 0)


def flush(handle, flags):
    record.write(struct.pack("<BQI", 1, 0, 0))


def can_fua(handle):
    return nbdkit.FUA_NATIVE
