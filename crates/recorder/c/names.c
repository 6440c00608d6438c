/* Fortran. The entries for Fortran of Open MPI, and those for Fortran 2008 of MPICH, call the names of C's profiling
 * interface: so these names are recorded, too. What is called from inside of a call is not. */
#ifndef RUNCAST_RECORD_LINKED
#define ALSO(name) extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)));
ALSO(Abort) ALSO(Accumulate) ALSO(Allgather) ALSO(Allgatherv) ALSO(Allreduce) ALSO(Alltoall) ALSO(Alltoallv) ALSO(Alltoallw)
ALSO(Barrier) ALSO(Bcast) ALSO(Bsend) ALSO(Bsend_init) ALSO(Cancel) ALSO(Cart_create) ALSO(Cart_sub) ALSO(Comm_create)
ALSO(Comm_disconnect) ALSO(Comm_dup) ALSO(Comm_free) ALSO(Comm_split) ALSO(Comm_spawn) ALSO(Dist_graph_create) ALSO(Dist_graph_create_adjacent)
ALSO(Exscan) ALSO(File_close) ALSO(File_iread) ALSO(File_iread_at) ALSO(File_iwrite) ALSO(File_iwrite_at) ALSO(File_open)
ALSO(File_read) ALSO(File_read_all) ALSO(File_read_at) ALSO(File_read_at_all) ALSO(File_read_ordered) ALSO(File_read_shared)
ALSO(File_sync) ALSO(File_write) ALSO(File_write_all) ALSO(File_write_at) ALSO(File_write_at_all) ALSO(File_write_ordered)
ALSO(File_write_shared) ALSO(Finalize) ALSO(Gather) ALSO(Gatherv) ALSO(Get) ALSO(Graph_create) ALSO(Ibsend)
ALSO(Intercomm_create) ALSO(Intercomm_merge) ALSO(Iprobe) ALSO(Irecv) ALSO(Irsend) ALSO(Isend) ALSO(Issend) ALSO(Pcontrol)
ALSO(Probe) ALSO(Put) ALSO(Recv) ALSO(Recv_init) ALSO(Reduce) ALSO(Reduce_scatter) ALSO(Reduce_scatter_block) ALSO(Request_free)
ALSO(Rsend) ALSO(Rsend_init) ALSO(Scan) ALSO(Scatter) ALSO(Scatterv) ALSO(Send) ALSO(Send_init) ALSO(Sendrecv)
ALSO(Sendrecv_replace) ALSO(Ssend) ALSO(Ssend_init) ALSO(Start) ALSO(Startall) ALSO(Test) ALSO(Testall) ALSO(Testany)
ALSO(Testsome) ALSO(Type_free) ALSO(Wait) ALSO(Waitall) ALSO(Waitany) ALSO(Waitsome) ALSO(Win_complete) ALSO(Win_create)
ALSO(Win_fence) ALSO(Win_free) ALSO(Win_lock) ALSO(Win_post) ALSO(Win_start) ALSO(Win_test) ALSO(Win_unlock) ALSO(Win_wait)
#if MPI_VERSION >= 3
ALSO(Comm_create_group) ALSO(Comm_dup_with_info) ALSO(Comm_split_type) ALSO(Compare_and_swap) ALSO(Fetch_and_op)
ALSO(Get_accumulate) ALSO(Iallgather) ALSO(Iallgatherv) ALSO(Iallreduce) ALSO(Ialltoall) ALSO(Ialltoallv) ALSO(Ialltoallw)
ALSO(Ibarrier) ALSO(Ibcast) ALSO(Iexscan) ALSO(Igather) ALSO(Igatherv) ALSO(Improbe) ALSO(Imrecv) ALSO(Ineighbor_allgather)
ALSO(Ineighbor_allgatherv) ALSO(Ineighbor_alltoall) ALSO(Ineighbor_alltoallv) ALSO(Ineighbor_alltoallw) ALSO(Init)
ALSO(Init_thread) ALSO(Ireduce) ALSO(Ireduce_scatter) ALSO(Ireduce_scatter_block) ALSO(Iscan) ALSO(Iscatter) ALSO(Iscatterv)
ALSO(Mprobe) ALSO(Mrecv) ALSO(Neighbor_allgather) ALSO(Neighbor_allgatherv) ALSO(Neighbor_alltoall) ALSO(Neighbor_alltoallv)
ALSO(Neighbor_alltoallw) ALSO(Raccumulate) ALSO(Rget) ALSO(Rget_accumulate) ALSO(Rput) ALSO(Win_allocate)
ALSO(Win_allocate_shared) ALSO(Win_create_dynamic) ALSO(Win_flush) ALSO(Win_flush_all) ALSO(Win_flush_local)
ALSO(Win_flush_local_all) ALSO(Win_lock_all) ALSO(Win_unlock_all)
#endif
#if MPI_VERSION >= 4
ALSO(Psend_init) ALSO(Precv_init)
ALSO(Allgather_init) ALSO(Allgatherv_init) ALSO(Allreduce_init) ALSO(Alltoall_init) ALSO(Alltoallv_init) ALSO(Alltoallw_init)
ALSO(Barrier_init) ALSO(Bcast_init) ALSO(Bsend_c) ALSO(Bsend_init_c) ALSO(Exscan_init) ALSO(Gather_init) ALSO(Gatherv_init)
ALSO(Ibsend_c) ALSO(Irecv_c) ALSO(Irsend_c) ALSO(Isend_c) ALSO(Issend_c) ALSO(Neighbor_allgather_init)
ALSO(Neighbor_allgatherv_init) ALSO(Neighbor_alltoall_init) ALSO(Neighbor_alltoallv_init) ALSO(Neighbor_alltoallw_init)
ALSO(Recv_c) ALSO(Recv_init_c) ALSO(Reduce_init) ALSO(Reduce_scatter_block_init) ALSO(Reduce_scatter_init) ALSO(Rsend_c)
ALSO(Rsend_init_c) ALSO(Scan_init) ALSO(Scatter_init) ALSO(Scatterv_init) ALSO(Send_c) ALSO(Send_init_c) ALSO(Ssend_c)
ALSO(Ssend_init_c)
#endif
#endif
