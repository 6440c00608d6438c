/** Attributes that mean something to the simulator, with their unit; any other key is allowed and seen by formulas. */
export interface Known {
  what: 'number' | 'flag' | 'word' | 'curve' | 'states' | 'name';
  unit: string;
  help: string;
  words?: string[];
}

export const KNOWN: Record<string, Known> = {
  cores: { what: 'number', unit: '', help: 'cores of the device' },
  threads_per_core: { what: 'number', unit: '', help: 'hardware threads of a core' },
  clock: { what: 'number', unit: 'Hz', help: 'base clock' },
  ipc: { what: 'number', unit: '', help: 'instructions a cycle, relative to the Xeon E5345' },
  flops_single: { what: 'number', unit: 'flop/s', help: 'single precision, whole device' },
  flops_double: { what: 'number', unit: 'flop/s', help: 'double precision, whole device' },
  flops_tf32: { what: 'number', unit: 'flop/s', help: 'TF32 (19 bits), whole device' },
  flops_bf16: { what: 'number', unit: 'flop/s', help: 'bfloat16, whole device' },
  flops_fp16: { what: 'number', unit: 'flop/s', help: 'half precision, whole device' },
  flops_fp8: { what: 'number', unit: 'flop/s', help: '8-bit floating point, whole device' },
  flops_fp4: { what: 'number', unit: 'flop/s', help: '4-bit floating point, whole device' },
  flops_int8: { what: 'number', unit: 'flop/s', help: '8-bit integers, whole device' },
  flops_double_matrix: { what: 'number', unit: 'flop/s', help: 'double precision in matrix cores' },
  efficiency: { what: 'number', unit: '', help: 'share of these that programs reach [1]' },
  efficiency_double: { what: 'number', unit: '', help: 'the same in double precision [efficiency]' },
  efficiency_single: { what: 'number', unit: '', help: 'the same in single precision [efficiency]' },
  efficiency_tf32: { what: 'number', unit: '', help: 'the same in TF32 [efficiency]' },
  efficiency_bf16: { what: 'number', unit: '', help: 'the same in bfloat16 [efficiency]' },
  efficiency_fp16: { what: 'number', unit: '', help: 'the same in half precision [efficiency]' },
  efficiency_fp8: { what: 'number', unit: '', help: 'the same in 8-bit floating point [efficiency]' },
  efficiency_fp4: { what: 'number', unit: '', help: 'the same in 4-bit floating point [efficiency]' },
  efficiency_int8: { what: 'number', unit: '', help: 'the same in 8-bit integers [efficiency]' },
  efficiency_double_matrix: { what: 'number', unit: '', help: 'the same in matrix cores [efficiency]' },
  smt_gain: { what: 'number', unit: '', help: 'work of a core with all its threads busy [1]' },
  turbo: { what: 'number', unit: '', help: 'a single busy core is faster by this share [0]' },
  mem_bandwidth: { what: 'number', unit: 'B/s', help: 'of all cores together' },
  mem_bandwidth_core: { what: 'number', unit: 'B/s', help: 'of one core' },
  copy_engines: { what: 'number', unit: '', help: 'copies of a device at once: half each way [2]' },
  numa: { what: 'number', unit: '', help: 'equal parts of its cores with memory of their own [1]' },
  memory_policy: { what: 'word', unit: '', words: ['local', 'interleaved'], help: 'memory near the threads, or spread over all parts of the machine [local]' },
  remote_factor: { what: 'number', unit: '', help: 'bandwidth of a core to memory of other parts [0.6]' },
  mem_sharpness: { what: 'number', unit: '', help: 'exponent of the soft minimum [infinite]' },
  cache: { what: 'number', unit: 'B', help: 'last-level cache' },
  cache_bandwidth_core: { what: 'number', unit: 'B/s', help: 'of one core from the last-level cache' },
  memory: { what: 'number', unit: 'B', help: 'main memory' },
  reduce_per_byte: { what: 'number', unit: 's/B', help: 'reduction of a byte in collectives [0]' },
  power_idle: { what: 'number', unit: 'W', help: 'power when nothing is computed' },
  power_load: { what: 'number', unit: 'W', help: 'power when all cores compute' },
  power_threads: { what: 'curve', unit: 'W', help: 'power against busy threads, [[threads, watts], ..], linear between' },
  states: { what: 'states', unit: '', help: 'power states, [{ name, factor, power_idle, power_load }, ..], factor on clock and flops' },
  state: { what: 'name', unit: '', help: 'its power state [the fastest]' },
  power_cap: { what: 'number', unit: 'W', help: 'a machine takes the fastest states within this power' },
  wait_activity: { what: 'number', unit: '', help: 'how busy a thread is that waits for a message [0]' },
  mtbf: { what: 'number', unit: 's', help: 'mean time between failures of one' },
  failure_rate: { what: 'number', unit: '1/s', help: 'failures per second of one' },
  price: { what: 'number', unit: '', help: 'price of one' },
  price_hour: { what: 'number', unit: '', help: 'price of an hour of one' },
  bandwidth: { what: 'number', unit: 'B/s', help: 'of a link, in each direction' },
  latency: { what: 'number', unit: 's', help: 'of a link; of a storage' },
  family: { what: 'word', unit: '', words: ['ethernet', 'infiniband', 'slingshot', 'efa', 'roce', 'nvlink', 'pcie', 'memory'], help: 'networks of one family treat messages of a size alike' },
  shared: { what: 'flag', unit: '', help: 'whether messages share a link [true]' },
  duplex: { what: 'word', unit: '', words: ['full', 'half'], help: 'whether both directions of a link have its bandwidth (full), or share it (half) [full]' },
  rails: { what: 'number', unit: '', help: 'ports of each machine [1]' },
  rail: { what: 'word', unit: '', words: ['affinity', 'load', 'hash', 'stripe'], help: 'which a message takes: by device, bytes under way, both processes, or all in parts [affinity; load]' },
  planes: { what: 'flag', unit: '', help: 'whether each rail is a network of its own [false]' },
  stripe_min: { what: 'number', unit: 'B', help: 'smaller messages are not striped [1 MiB]' },
  window: { what: 'number', unit: 'B', help: 'a flow is at most this over twice its latency fast [none]' },
  L: { what: 'number', unit: 's', help: 'LogGOPS: latency' },
  o: { what: 'number', unit: 's', help: 'LogGOPS: overhead of a message' },
  g: { what: 'number', unit: 's', help: 'LogGOPS: gap between messages' },
  G: { what: 'number', unit: 's/B', help: 'LogGOPS: gap per byte' },
  O: { what: 'number', unit: 's/B', help: 'LogGOPS: overhead per byte' },
  S: { what: 'number', unit: 'B', help: 'LogGOPS: eager limit [none]' },
  eager_limit: { what: 'number', unit: 'B', help: 'smaller transfers start without a receive [none]' },
  detach_limit: { what: 'number', unit: 'B', help: 'senders of smaller messages need not wait [none]' },
  read_bandwidth: { what: 'number', unit: 'B/s', help: 'of a storage' },
  write_bandwidth: { what: 'number', unit: 'B/s', help: 'of a storage' },
  availability: { what: 'number', unit: '', help: 'share of time that a volunteer is on' },
  on_mean: { what: 'number', unit: 's', help: 'mean time that a volunteer stays on' },
  off_mean: { what: 'number', unit: 's', help: 'mean time that a volunteer stays off' },
  keeps_progress: { what: 'flag', unit: '', help: 'whether a volunteer goes on where it was switched off [true]' },
  error_rate: { what: 'number', unit: '', help: 'share of wrong results of a volunteer [0]' },
  quorum: { what: 'number', unit: '', help: 'equal results that a job needs, of different ones [1]' },
  deadline: { what: 'number', unit: 's', help: 'after which a job is given to another volunteer, too' },
  replicas: { what: 'number', unit: '', help: 'the same as quorum' },
};

export const knownOf = (key: string): Known | undefined => (Object.hasOwn(KNOWN, key) ? KNOWN[key] : undefined);

const COMPUTE = [
  'cores', 'threads_per_core', 'clock', 'flops_double', 'flops_single', 'efficiency', 'smt_gain', 'turbo', 'mem_bandwidth',
  'mem_bandwidth_core', 'mem_sharpness', 'cache', 'memory', 'reduce_per_byte', 'power_idle', 'power_load', 'state', 'wait_activity',
];
const COST = ['mtbf', 'failure_rate', 'price', 'price_hour'];

/** The keys that a part of a kind usually has. */
export const USUAL: Record<string, string[]> = {
  wan: [],
  group: ['power_idle', ...COST],
  machine: ['power_idle', 'power_threads', 'power_cap', 'memory', 'mem_bandwidth', 'mem_bandwidth_core', 'mem_sharpness', 'turbo', ...COST],
  cpu: [...COMPUTE, ...COST],
  gpu: [...COMPUTE, ...COST],
  accelerator: [...COMPUTE, ...COST],
  storage: ['read_bandwidth', 'write_bandwidth', 'latency', 'power_idle', ...COST],
  volunteer: ['availability', 'on_mean', 'off_mean', 'keeps_progress', 'error_rate', 'quorum', 'deadline', ...COMPUTE, ...COST],
  network: [
    'bandwidth', 'latency', 'shared', 'duplex', 'rails', 'rail', 'planes', 'stripe_min', 'eager_limit', 'detach_limit', 'window', 'L', 'o', 'g', 'G', 'O', 'S', ...COST,
  ],
};
