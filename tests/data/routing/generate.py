#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the small synthetic records of this folder, for formats of which no sample is at hand.

usage: generate.py [FOLDER]        the same bytes every time; standard library only
"""
import json
import os
import struct
import sys


class Random:
    """A linear congruential generator: the same numbers in every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n

    def distinct(self, n, k):
        chosen = []
        while len(chosen) < k:
            x = self.below(n)
            if x not in chosen:
                chosen.append(x)
        return chosen


def write_npy(path, shape, values, kind):
    size = {"<i4": "i", "|u1": "B", "<i8": "q"}[kind]
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (117 - len(head)) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        f.write(struct.pack("<%d%s" % (len(values), size), *values))


def route_log(path, warm_up, rows, experts, k, seed):
    """The layout of a vLLM route logger: dummy rows of the warm-up first, token_idx restarts, one req_id."""
    r = Random(seed)
    with open(path, "w") as f:
        meta = {"type": "meta", "model_id": "synthetic", "layers_logged": [0], "top_k": k}
        f.write(json.dumps(meta) + "\n")
        for i in range(warm_up + rows):
            ids = list(range(k)) if i < warm_up else r.distinct(experts, k)
            weights = [round(1 / k + (r.below(100) - 50) / 10000, 4) for _ in ids]
            f.write(json.dumps({"type": "route", "req_id": "r0", "token_idx": i % 64, "layer": 0,
                                "topk_ids": ids, "topk_weights": weights}) + "\n")


def source_log(path, ranks, tokens, experts, k, seed):
    """Layers with the source rank of every token; and one compact bundle with counts."""
    r = Random(seed)
    with open(path, "w") as f:
        for layer in (3, 4):
            origin = [t % ranks for t in range(tokens)]
            chosen = [r.distinct(experts, k) for _ in range(tokens)]
            f.write(json.dumps({"layer": layer, "batch_id": 0, "origin_rows": origin,
                                "topk_experts": chosen}) + "\n")
        f.write(json.dumps({"layer": 5, "source_rank": [0, ranks - 1], "count": [5, 2],
                            "topk_experts": [list(range(k)), list(range(experts - k, experts))]}) + "\n")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    path = lambda name: os.path.join(folder, name)
    route_log(path("synthetic_route_log.jsonl"), 60, 240, 16, 4, 1)
    source_log(path("synthetic_source_log.jsonl"), 4, 32, 16, 4, 2)
    r = Random(3)
    ids = [r.distinct(32, 4) for _ in range(96)]
    flat = [x for row in ids for x in row]
    write_npy(path("synthetic_ids_tk.npy"), "(96, 4)", flat, "<i4")
    write_npy(path("synthetic_ids_tlk.npy"), "(48, 2, 4)", flat, "<i4")
    write_npy(path("synthetic_ids_u1.npy"), "(96, 4)", flat, "|u1")
    blob = [x for _ in range(40) for x in r.distinct(64, 6)]  # 10 tokens, 4 layers, k 6
    write_npy(path("synthetic_blob_wrong_shape.npy"), "(10, 3, 8)", blob, "<i4")
    layers = {str(l): {"cnt": [10 + r.below(90) for _ in range(16)]} for l in (3, 4, 7)}
    with open(path("synthetic_cnt.json"), "w") as f:
        json.dump({"arch": "synthetic", "n_expert": 16, "tokens": 100, "layers": layers}, f)
    with open(path("synthetic_alltoallv.txt"), "w") as f:
        f.write("# Raw counters\n\nNumber of ranks: 4\nDatatype size: 2\nAlltoallv calls 0-1\n\n"
                "Count: 2 calls - 0-1\n\n\nBEGINNING DATA\nRank(s) 0-1,3: 1 2 3 4\nRank(s) 2: 0 5 0 7\n"
                "END DATA\n")
    with open(path("synthetic_matrix.csv"), "w") as f:
        f.write("src,dst,bytes\n0,1,1000\n1,0,500\n2,3,4000000000\n3,3,7\n")
    write_npy(path("synthetic_placement.npy"), "(2, 8)", [0, 1, 2, 3, 4, 5, 0, 1, 5, 4, 3, 2, 1, 0, 5, 4],
              "<i8")


if __name__ == "__main__":
    main()
