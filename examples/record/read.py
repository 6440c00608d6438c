#!/usr/bin/env python3
"""Reads a recording, with nothing but Python's standard library: python3 read.py rank-0.rcr [--json]

Prints the calls of each class of ranks, loops as loops. `read(path)` returns all of it, for programs.
"""
import json, struct, sys, zlib

FIELDS = ["peer", "peer2", "size", "tag", "root", "count", "reqs", "extra"]
CALLS = {1: "send bsend ssend rsend psend", 10: "recv mrecv precv sendrecv",
         20: "wait waitall waitany waitsome start request_free cancel", 30: "probe mprobe",
         40: "barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce allreduce "
             "reduce_scatter reduce_scatter_block scan exscan neighbor_allgather neighbor_allgatherv neighbor_alltoall "
             "neighbor_alltoallv neighbor_alltoallw",
         70: "win put get accumulate fence post_start complete_wait lock unlock flush",
         80: "comm intercomm_create cart_create cart_sub graph_create dist_graph_create", 90: "file",
         96: "init finalize abort pcontrol"}
NAMES = {first + i: name for first, names in CALLS.items() for i, name in enumerate(names.split())}


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def u(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise ValueError(f"number of more than 10 bytes at {self.at}")

    def s(self):
        value = self.u()
        return value >> 1 ^ -(value & 1)

    def bytes(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def many(self, one):
        return [one() for _ in range(self.u())]

    def term(self):
        kind = self.u()
        if kind == 4:
            return {"times": self.u(), "body": self.many(self.term)}
        if kind == 5:
            sketch = {"n": self.u(), "least": self.s(), "greatest": self.s(), "sum": self.s()}
            return {"sketch": sketch, "common": self.many(lambda: (self.s(), self.u()))}
        return {"base": self.s(), "nest": [(self.u(), self.s()) for _ in range(kind)]}

    def stream(self):
        return self.many(self.term)

    def node(self):
        if self.u() == 2:
            return {"counts": self.stream(), "body": self.many(self.node)}
        call, flags, site, comm, mask = (self.u() for _ in range(5))
        fields = {name: self.stream() for bit, name in enumerate(FIELDS) if mask >> bit & 1}
        return {"call": NAMES.get(call, str(call)), "flags": flags, "site": site, "comm": comm, "fields": fields}


def sections(data):
    if data[:8] != b"RUNCREC1":
        raise ValueError("not a recording")
    if struct.unpack_from("<I", data, 28)[0] != crc32c(data[:28]):
        raise ValueError("the header is damaged")
    at = 32
    while at + 24 <= len(data):
        tag, encoding, stored, plain = struct.unpack_from("<4sIQQ", data, at)
        end = at + 24 + stored
        if end + 4 > len(data) or struct.unpack_from("<I", data, end)[0] != crc32c(data[at:end]):
            raise ValueError(f"damaged from byte {at} on")
        payload = data[at + 24:end]
        yield tag.decode().strip(), zlib.decompress(payload) if encoding else payload
        at = end + 4


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    version, flags, ranks, first, p = struct.unpack_from("<HHIII", data, 8)
    found = dict(sections(data))
    out = {"version": version, "flags": flags, "ranks": ranks, "first_rank": first, "p": p, "complete": "END" in found}
    out["meta"] = json.loads(found["META"])
    r = Reader(found["MODS"])
    out["modules"] = r.many(lambda: {"path": r.bytes(r.u()).decode(), "build_id": r.bytes(r.u()).hex()})
    r = Reader(found["SITE"])
    out["sites"] = r.many(lambda: r.many(lambda: (r.u(), r.u())))
    r = Reader(found["COMM"])
    out["comms"] = r.many(lambda: {"parent": r.u(), "kind": r.u(), "members": r.stream(), "dims": r.many(lambda: (r.u(), r.u()))})
    r = Reader(found["PROG"])
    out["programs"] = r.many(lambda: {"ranks": r.stream(), "thread": r.u(), "tree": r.many(r.node)})
    return out


def values(terms):
    for t in terms:
        if "body" in t:
            for _ in range(t["times"]):
                yield from values(t["body"])
        elif "sketch" in t:
            raise ValueError("a sketch has no order")
        else:
            level = [t["base"]]
            for count, stride in t["nest"]:
                level = [v + i * stride for i in range(count) for v in level]
            yield from level


def text(terms):
    def one(t):
        if "body" in t:
            return f"{t['times']}x[{text(t['body'])}]"
        if "sketch" in t:
            return "~{n} values {least}..{greatest}".format(**t["sketch"])
        return str(t["base"]) + "".join(f"{{{count}x{stride}}}" for count, stride in t["nest"])
    return " ".join(map(one, terms))


def show(nodes, deep=0):
    for n in nodes:
        if "body" in n:
            print("  " * deep + "loop " + text(n["counts"]))
            show(n["body"], deep + 1)
        else:
            fields = "  ".join(f"{name} {text(stream)}" for name, stream in n["fields"].items())
            print("  " * deep + f"{n['call']}  s{n['site']}  {fields}".rstrip())


def main():
    recording = read(sys.argv[1])
    if "--json" in sys.argv[2:]:
        print(json.dumps(recording))
        return
    for program in recording["programs"]:
        print(f"# recording {recording['version']}  p {recording['p']}  ranks {text(program['ranks'])}  thread {program['thread']}")
        show(program["tree"])


if __name__ == "__main__":
    main()
