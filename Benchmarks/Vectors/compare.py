#!/usr/bin/env python3
"""Has FAISS, hnswlib and sqlite-vec search the vectors of a benchmark: compare.py PROGRAM FOLDER [DOCUMENTS] [DIMENSIONS]

PROGRAM is cblite-bench-vectors; FOLDER is made by it, and can be given again. The three come from PyPI (faiss-cpu, hnswlib,
sqlite-vec with apsw, numpy); one that is not installed is left out. Everything is built on the cores there are and searched on one.
"""
import os
import resource
import subprocess
import sys
import time

import numpy

NEIGHBOURS = 10


def main():
    program, folder = sys.argv[1:3]
    documents, dimensions = (sys.argv[3:] + ["100000", "128"][len(sys.argv) - 3:])[:2]
    if not os.path.exists(folder):
        subprocess.run([program, "--folder", folder, documents, dimensions], check=True)
    sys.stdout.flush()
    print("-- ours, searches alone, on one core", flush=True)
    subprocess.run(["taskset", "-c", "0", program, "--search", folder], check=True)
    for other in [faiss, hnswlib, sqlite_vec]:
        child = os.fork()
        if child == 0:
            try:
                vectors = numpy.fromfile(folder + "/vectors.f32", dtype="float32").reshape(-1, int(dimensions))
                queries = numpy.fromfile(folder + "/queries.f32", dtype="float32").reshape(-1, int(dimensions))
                other(vectors, queries, exact(vectors, queries))
            except ImportError as missing:
                print(f"-- {other.__name__} is left out: {missing}", flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{other.__name__} failed")


def exact(vectors, queries):
    """The nearest of each query, by all distances."""
    lengths = numpy.einsum("ij,ij->i", vectors, vectors)
    nearest = []
    for query in queries:
        order = lengths - 2 * (vectors @ query)
        nearest.append(set(numpy.argpartition(order, NEIGHBOURS)[:NEIGHBOURS].tolist()))
    return nearest


def measured(name, queries, truth, search):
    """Median time and recall of one search after the other, of the second round."""
    os.sched_setaffinity(0, {0})
    for _ in range(2):
        times, hits = [], 0
        for query, nearest in zip(queries, truth):
            start = time.perf_counter()
            found = search(query)
            times.append(time.perf_counter() - start)
            hits += len(nearest & {int(number) for number in found})
    os.sched_setaffinity(0, range(os.cpu_count()))
    print(f"{name}\t{sorted(times)[len(times) // 2] * 1000:.3f} ms, recall {hits / NEIGHBOURS / len(truth):.3f}", flush=True)


def built(name, start):
    print(f"{name}\t{time.perf_counter() - start:.1f} s", flush=True)


def memory(name):
    print(f"{name}: memory at most\t{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB, the vectors included", flush=True)


def faiss(vectors, queries, truth):
    import faiss as library
    print(f"-- FAISS {library.__version__}", flush=True)
    lists = int(len(vectors) ** 0.5)
    dimensions = vectors.shape[1]
    index = library.IndexIVFScalarQuantizer(
        library.IndexFlatL2(dimensions), dimensions, lists, library.ScalarQuantizer.QT_8bit, library.METRIC_L2)
    start = time.perf_counter()
    index.train(vectors)
    built("FAISS: learned", start)
    start = time.perf_counter()
    index.add(vectors)
    built("FAISS: added", start)
    library.omp_set_num_threads(1)
    for probes in [1, 4, 8, 16, 32]:
        index.nprobe = probes
        measured(
            f"FAISS IVF{lists},SQ8 with {probes} probes", queries, truth,
            lambda query: index.search(query[None], NEIGHBOURS)[1][0])
    memory("FAISS")


def hnswlib(vectors, queries, truth):
    import hnswlib as library
    print("-- hnswlib, M 16, ef_construction 200", flush=True)
    index = library.Index(space="l2", dim=vectors.shape[1])
    index.init_index(max_elements=len(vectors), M=16, ef_construction=200)
    index.set_num_threads(os.cpu_count())
    start = time.perf_counter()
    index.add_items(vectors)
    built("hnswlib: added", start)
    index.set_num_threads(1)
    for breadth in [16, 64, 256]:
        index.set_ef(breadth)
        measured(f"hnswlib with ef {breadth}", queries, truth, lambda query: index.knn_query(query, NEIGHBOURS)[0][0])
    memory("hnswlib")


def sqlite_vec(vectors, queries, truth):
    import apsw
    import sqlite_vec as library
    database = apsw.Connection(":memory:")
    database.enable_load_extension(True)
    database.load_extension(library.loadable_path())
    version = database.execute("SELECT vec_version()").fetchone()[0]
    print(f"-- sqlite-vec {version}, all distances, in memory", flush=True)
    database.execute(f"CREATE VIRTUAL TABLE near USING vec0(vector float[{vectors.shape[1]}])")
    start = time.perf_counter()
    with database:
        database.executemany(
            "INSERT INTO near(rowid, vector) VALUES (?, ?)", ((number, vector.tobytes()) for number, vector in enumerate(vectors)))
    built("sqlite-vec: added", start)
    ask = f"SELECT rowid FROM near WHERE vector MATCH ? AND k = {NEIGHBOURS} ORDER BY distance"
    measured(
        "sqlite-vec", queries, truth, lambda query: [row[0] for row in database.execute(ask, (query.tobytes(),))])
    memory("sqlite-vec")


main()
