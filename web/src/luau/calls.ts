/**
 * Every call of an application script: name, signature, help. The one place where the pages know them;
 * `calls.test.ts` holds it against docs/reference/sim-script.md.
 */
export interface Argument {
  name: string;
  help: string;
}

export interface Call {
  name: string;
  /** As in the reference: `send{ to =, size =, tag = 0 }`. */
  signature: string;
  help: string;
  group: 'declare' | 'compute' | 'message' | 'labels' | 'collective' | 'farm' | 'device' | 'grid' | 'paper';
  /** Named arguments of calls that take one table. */
  args: Argument[];
  /** What is put into the text when the call is chosen; `#{x}` are places to fill in. */
  snippet: string;
}

const arg = (name: string, help: string): Argument => ({ name, help });

const to = arg('to', 'a rank of the own label, proc("slave", 3), or the name of a label with one process');
const from = arg('from', 'a rank of the own label, proc(..), the name of a label with one process, or "any"');
const toLabel = arg('to', 'name of a label');
const fromLabel = arg('from', 'name of a label');
const size = arg('size', 'bytes, or a text with a unit such as "1.6MB"');
const tag = arg('tag', 'a whole number from 0 (default 0); receives may say "any"');
const root = arg('root', 'number in the group (default 0)');
const comm = arg('comm', 'comm{ 0, 2, 4 }: the ranks that take part; default: the whole label');
const counts = arg('counts', 'bytes of each member: a list, or function(i); in an alltoallv function(i, j)');
const algorithm = arg('algorithm', 'fixes the algorithm, such as "binomial" or "ring"; default: chosen by size');

const stream = arg('stream', 'what a process gives one stream of a device comes one after the other (default 0)');
const isAsync = arg('async', 'whether the process goes on, with a request (default false)');

const computeArgs: Argument[] = [
  arg('size', 'size of the data (default 0)'),
  arg('complexity', 'operations as a formula of d, which is size, and of the parameters (default "d")'),
  arg('ops', 'operations, instead of a complexity'),
  arg('bytes', 'bytes moved to and from memory (default 0)'),
  arg('type', 'kind of block: computational models have rules for kinds'),
  arg('threads', 'threads that work on it (default 1)'),
  arg('op', 'kind of its operations: "double" (default), "single", "tf32", "bf16", "fp16", "fp8", "fp4", "int8", "double_matrix"'),
  arg('stack', 'software stack, for rules'),
  arg('opt', 'optimization, for rules'),
  arg('device', 'where, if not on the processor: "gpu"'),
  arg('state', 'power state of the device (default: that of the label, else of the device)'),
  arg('time', 'seconds, instead of all that'),
  arg('working_set', 'bytes that the process works on again and again: what fits the cache comes from there (default 0: nothing)'),
  stream,
  arg('occupancy', 'share of an accelerator that it fills: more than all of it is shared in turns (default 1)'),
  isAsync,
];

const stencilArgs: Argument[] = [
  arg('dims', 'cells in each dimension, one to three, the first fastest: { 400, 400, 400 }'),
  arg('cells', 'cells that are swept (default: all)'),
  arg('radius', 'how far neighbors are (default 1)'),
  arg('reads', 'grids that are read (default 1)'),
  arg('writes', 'grids that are written (default 1)'),
  arg('element', 'bytes of an element (default 8)'),
  arg('flops', 'operations a cell (default 0)'),
  arg('streaming', 'whether stores go past the cache (default false)'),
  ...computeArgs.filter(({ name }) => ['type', 'threads', 'op', 'stack', 'opt', 'device', 'state', 'stream', 'occupancy', 'async'].includes(name)),
];

const collective = (name: string, what: string, rooted: boolean, algorithms: string): Call => ({
  name,
  signature: `${name}{ size =, ${rooted ? 'root = 0, ' : ''}comm =, algorithm = }`,
  help: `${what} All members call the same collectives in the same order. Algorithms: ${algorithms}.`,
  group: 'collective',
  args: rooted ? [size, root, comm, algorithm] : [size, comm, algorithm],
  snippet: `${name}{ size = #{bytes} }`,
});

const irregular = (name: string, what: string, rooted: boolean): Call => ({
  name,
  signature: `${name}{ counts =, ${rooted ? 'root = 0, ' : ''}comm = }`,
  help: `${what} Members have different numbers of bytes.`,
  group: 'collective',
  args: rooted ? [counts, root, comm] : [counts, comm],
  snippet: `${name}{ counts = function(i) return #{bytes} end }`,
});

const neighborly = (name: string, last: Argument): Call => ({
  name,
  signature: `${name}{ neighbors =, ${last.name} = }`,
  help: 'Messages with a list of ranks, all begun at once.',
  group: 'collective',
  args: [arg('neighbors', 'ranks; holes (nil) are left out'), last],
  snippet: `${name}{ neighbors = { #{ranks} }, ${last.name} = #{bytes} }`,
});

const win = arg('win', 'a result of win{}');

const access = (name: string, help: string): Call => ({
  name, signature: `${name}{ win =, to =, size = }`, help, group: 'message', args: [win, to, size],
  snippet: `${name}{ win = w, to = #{rank}, size = #{bytes} }`,
});

export const calls: Call[] = [
  {
    name: 'param', signature: 'param(name, default, help)', group: 'declare', args: [],
    help: 'The value of a parameter: from --set, from the experiment, or the default. The default is a number, a text, true or false; a number may be set with a unit.',
    snippet: 'param("#{name}", #{1}, "#{what it is}")',
  },
  {
    name: 'label', signature: 'label{ name, count = 1, on =, memory = 0, start = 0, state =, run = function(rank, size) end }', group: 'declare',
    help: 'A class of count processes. If run names no parameter it is run once, however many processes there are; with function(rank) it is run for each rank, and ranks that do the same share their program.',
    args: [
      arg('count', 'how many processes (default 1)'), arg('on', 'the component that it runs on'),
      arg('memory', 'bytes of a process: a warning when a machine has less (default 0)'), arg('start', 'seconds (default 0)'),
      arg('state', 'power state of its blocks (default: that of the device)'),
      arg('run', 'function(rank, size): what a process does'),
    ],
    snippet: 'label{ "#{name}", count = #{1}, run = function(rank)\n  #{}\nend }',
  },
  { name: 'proc', signature: 'proc(label, rank)', group: 'declare', args: [], help: 'A process of a label.', snippet: 'proc("#{label}", #{rank})' },
  { name: 'count', signature: 'count(label)', group: 'declare', args: [], help: 'Multiplicity of a label.', snippet: 'count("#{label}")' },
  { name: 'rank_of', signature: 'rank_of(process)', group: 'declare', args: [], help: 'Rank of a process in its label.', snippet: 'rank_of(#{process})' },
  { name: 'log', signature: 'log(...)', group: 'declare', args: [], help: 'A line that is shown with the result; print is the same.', snippet: 'log(#{})' },
  {
    name: 'random', signature: 'random()', group: 'declare', args: [],
    help: 'A number from 0 to below 1 that depends on seed, process, and how many the process has drawn. math.random(m, n) draws from the same stream.',
    snippet: 'random()',
  },
  {
    name: 'compute', signature: 'compute{ size = 0, complexity = "d", ops =, bytes = 0, type =, threads = 1, op = "double", stack =, opt =, device =, state =, time =, working_set = 0, stream = 0, occupancy =, async = false }',
    group: 'compute', args: computeArgs, help: 'A block of computing. Its time comes from the computational model of the system.',
    snippet: 'compute{ type = "#{kind}", size = #{d} }',
  },
  {
    name: 'stencil', signature: 'stencil{ dims = { nx, ny, nz }, cells =, radius = 1, reads = 1, writes = 1, element = 8, flops = 0, streaming = false, type =, threads = 1 }',
    group: 'compute', args: stencilArgs, help: 'A sweep over a grid in which each cell reads its neighbors. Its bytes follow from the cache of the device.',
    snippet: 'stencil{ dims = { #{nx}, #{ny}, #{nz} } }',
  },
  { name: 'send', signature: 'send{ to =, size =, tag = 0 }', group: 'message', args: [to, size, tag], help: 'Blocking send.', snippet: 'send{ to = #{rank}, size = #{bytes} }' },
  {
    name: 'recv', signature: 'recv{ from =, tag = 0 }', group: 'message', args: [from, tag, arg('size', 'for the reader only: the size of the sender counts')],
    help: 'Blocking receive; from = "any" and tag = "any" fit all. Gives {from, size, tag}; looking into it makes the label live.',
    snippet: 'recv{ from = #{rank} }',
  },
  { name: 'isend', signature: 'isend{ to =, size =, tag = 0 }', group: 'message', args: [to, size, tag], help: 'Goes on at once; gives a request.', snippet: 'isend{ to = #{rank}, size = #{bytes} }' },
  {
    name: 'irecv', signature: 'irecv{ from =, tag = 0 }', group: 'message', args: [from, tag, arg('size', 'for the reader only')],
    help: 'Goes on at once; gives a request.', snippet: 'irecv{ from = #{rank} }',
  },
  { name: 'wait', signature: 'wait(request)', group: 'message', args: [], help: 'Waits for a request; gives the message of a receive.', snippet: 'wait(#{request})' },
  { name: 'waitall', signature: 'waitall{ request, .. }', group: 'message', args: [], help: 'Waits for all; holes (nil) are left out.', snippet: 'waitall{ #{requests} }' },
  {
    name: 'waitany', signature: 'waitany{ request, .. }', group: 'message', args: [],
    help: 'Waits for the first to be complete; gives its place in the list, and the message of a receive. Makes the label live.', snippet: 'waitany(#{requests})',
  },
  {
    name: 'waitsome', signature: 'waitsome{ request, .. }', group: 'message', args: [],
    help: 'Waits until one is complete; gives the places of all that are. Makes the label live.', snippet: 'waitsome(#{requests})',
  },
  {
    name: 'testall', signature: 'testall{ request, .. }', group: 'message', args: [],
    help: 'Whether all are complete; if not, 1 us goes by. Makes the label live.', snippet: 'testall(#{requests})',
  },
  {
    name: 'send_init', signature: 'send_init{ to =, size =, tag = 0 }', group: 'message', args: [to, size, tag],
    help: 'Prepares a send that start begins, again and again.', snippet: 'send_init{ to = #{rank}, size = #{bytes} }',
  },
  {
    name: 'recv_init', signature: 'recv_init{ from =, tag = 0 }', group: 'message', args: [from, tag, arg('size', 'for the reader only')],
    help: 'Prepares a receive that start begins, again and again.', snippet: 'recv_init{ from = #{rank} }',
  },
  { name: 'start', signature: 'start(request)', group: 'message', args: [], help: 'Begins a prepared request; it is waited for before the next time.', snippet: 'start(#{request})' },
  { name: 'startall', signature: 'startall{ request, .. }', group: 'message', args: [], help: 'Begins prepared requests.', snippet: 'startall{ #{requests} }' },
  {
    name: 'sendrecv', signature: 'sendrecv{ to =, from =, size =, tag = 0 }', group: 'message', args: [to, from, size, tag],
    help: 'Both at once; gives the message received.', snippet: 'sendrecv{ to = #{rank}, from = #{rank}, size = #{bytes} }',
  },
  { name: 'win', signature: 'win{}', group: 'message', args: [], help: 'A window; the n-th of a process belongs to the n-th of the others.', snippet: 'win{}' },
  access('put', 'Moves bytes to the memory of a process, without its processor; goes on at once.'),
  access('get', 'Moves bytes from the memory of a process, without its processor; goes on at once.'),
  access('accumulate', 'Adds bytes to the memory of a process; goes on at once.'),
  { name: 'fence', signature: 'fence{ win = }', group: 'message', args: [win], help: 'The accesses of the whole label are done.', snippet: 'fence{ win = w }' },
  {
    name: 'flush', signature: 'flush{ win =, to = }', group: 'message', args: [win, arg('to', 'a process; default: all')],
    help: 'Waits until the own accesses are done, and that is known here.', snippet: 'flush{ win = w }',
  },
  { name: 'lock', signature: 'lock{ win =, to = }', group: 'message', args: [win, to], help: 'Waits for the lock of a window at a process, first come.', snippet: 'lock{ win = w, to = #{rank} }' },
  { name: 'unlock', signature: 'unlock{ win =, to = }', group: 'message', args: [win, to], help: 'Flushes, and gives the lock back.', snippet: 'unlock{ win = w, to = #{rank} }' },
  { name: 'p2p_send', signature: 'p2p_send{ to = "slave", size = }', group: 'labels', args: [toLabel, size], help: 'Between all pairs of the two labels: the sending side.', snippet: 'p2p_send{ to = "#{label}", size = #{bytes} }' },
  { name: 'p2p_recv', signature: 'p2p_recv{ from = }', group: 'labels', args: [fromLabel], help: 'Between all pairs of the two labels: the receiving side.', snippet: 'p2p_recv{ from = "#{label}" }' },
  {
    name: 'one2one_send', signature: 'one2one_send{ to =, size =, count = }', group: 'labels', args: [toLabel, size, arg('count', 'messages in all')],
    help: 'count messages in all, message i from sender i mod S to receiver i mod R.', snippet: 'one2one_send{ to = "#{label}", size = #{bytes}, count = #{n} }',
  },
  { name: 'one2one_recv', signature: 'one2one_recv{ from = }', group: 'labels', args: [fromLabel], help: 'The k-th one2one_recv of a label belongs to the k-th one2one_send to it.', snippet: 'one2one_recv{ from = "#{label}" }' },
  {
    name: 'scatter_send', signature: 'scatter_send{ to = {"a", "b"}, size = }', group: 'labels', args: [arg('to', 'a list of labels'), arg('size', 'bytes to each process of each label')],
    help: 'size bytes to each process of each label.', snippet: 'scatter_send{ to = { "#{label}" }, size = #{bytes} }',
  },
  { name: 'scatter_recv', signature: 'scatter_recv{ from = }', group: 'labels', args: [fromLabel], help: 'The receiving side of scatter_send.', snippet: 'scatter_recv{ from = "#{label}" }' },
  { name: 'gather_send', signature: 'gather_send{ to =, size = }', group: 'labels', args: [toLabel, arg('size', 'bytes from each process')], help: 'size bytes from each process.', snippet: 'gather_send{ to = "#{label}", size = #{bytes} }' },
  { name: 'gather_recv', signature: 'gather_recv{ from = }', group: 'labels', args: [fromLabel], help: 'The receiving side of gather_send.', snippet: 'gather_recv{ from = "#{label}" }' },
  collective('bcast', 'size bytes from the root to all.', true, 'linear, binomial, scatter_doubling, scatter_ring, chain:k, binary:S, split_binary:S, knomial:k'),
  collective('scatter', 'All blocks together are size bytes; each member gets its own.', true, 'linear, binomial'),
  collective('gather', 'All blocks together are size bytes; the root gets them.', true, 'linear, binomial, linear_sync'),
  collective('reduce', 'size bytes of every member, combined at the root.', true, 'binomial, rabenseifner, linear, chain:k, binary:S'),
  collective('allreduce', 'size bytes of every member, combined at all.', false, 'doubling, rabenseifner, ring, reduce_bcast; of devices ring, tree, hierarchical'),
  collective('allgather', 'The result is size bytes.', false, 'doubling, bruck, ring, neighbor; of devices ring, hierarchical'),
  collective('reduce_scatter', 'size bytes of every member, combined, each gets its block.', false, 'halving, pairwise, ring; of devices ring, hierarchical'),
  collective('alltoall', 'size is the data of one process.', false, 'bruck, pairwise, spread, linear, linear_sync'),
  collective('scan', 'Each member gets the sum of size bytes of all up to it.', false, 'doubling'),
  collective('exscan', 'Each member gets the sum of size bytes of all before it.', false, 'doubling'),
  irregular('alltoallv', 'Each member sends counts to each other one.', false),
  irregular('allgatherv', 'Each member gets the counts of all.', false),
  irregular('gatherv', 'The root gets the counts of all.', true),
  irregular('scatterv', 'Each member gets its counts from the root.', true),
  irregular('reduce_scatterv', 'Each member gets its counts of the sum of all.', false),
  neighborly('neighbor_allgather', size),
  neighborly('neighbor_alltoall', size),
  neighborly('neighbor_alltoallv', arg('counts', 'bytes for each neighbor: a list')),
  {
    name: 'barrier', signature: 'barrier{ comm =, algorithm = }', group: 'collective', args: [comm, algorithm],
    help: 'All wait for all. Also barrier(). Algorithms: dissemination, linear, tree.', snippet: 'barrier()',
  },
  {
    name: 'icollective', signature: 'icollective(name, { .. })', group: 'collective', args: [],
    help: 'A collective that goes on at once; gives a request.', snippet: 'icollective("#{allreduce}", { size = #{bytes} })',
  },
  {
    name: 'comm', signature: 'comm{ 0, 2, 4 }', group: 'collective', args: [arg('label', 'whose ranks; default: the own label')],
    help: 'Names the ranks of a label that take part in a collective.', snippet: 'comm{ #{ranks} }',
  },
  {
    name: 'farm', signature: 'farm{ tasks =, to = "slave", task_size =, result_size =, work = {}, master_work =, window = 1, schedule = "dynamic" }', group: 'farm',
    help: 'Hands out tasks on demand; run in the master, while the slaves run farm_worker.',
    args: [
      arg('tasks', 'how many'), arg('to', 'label of the slaves'), arg('task_size', 'bytes of a task'), arg('result_size', 'bytes of a result'),
      arg('work', 'arguments of compute: for a task, in a slave'), arg('master_work', 'arguments of compute: for a result, in the master'),
      arg('window', 'tasks under way to one slave (default 1)'), arg('schedule', '"dynamic" (a task to each slave that returns a result), "static" (equal shares), "guided" (ever smaller chunks)'),
    ],
    snippet: 'farm{ tasks = #{n}, to = "#{slave}", task_size = #{bytes}, result_size = #{bytes},\n  work = { type = "#{kind}", size = #{d} } }',
  },
  {
    name: 'farm_worker', signature: 'farm_worker{ from = }', group: 'farm', args: [fromLabel],
    help: 'A slave of a farm. The k-th farm_worker of a program belongs to the k-th farm that its master hands to this label.',
    snippet: 'farm_worker{ from = "#{master}" }',
  },
  {
    name: 'copy', signature: 'copy{ to = "gpu", from =, size =, stream = 0, async = false }', group: 'device',
    args: [arg('to', 'the device'), arg('from', 'the device, for a copy back'), size, stream, isAsync],
    help: 'Between the memory of the machine and a device, over the bus. With async = true it gives a request.', snippet: 'copy{ to = "gpu", size = #{bytes} }',
  },
  { name: 'read', signature: 'read{ size =, storage = }', group: 'device', args: [size, arg('storage', 'without a name the nearest')], help: 'From storage, shared.', snippet: 'read{ size = #{bytes} }' },
  { name: 'write', signature: 'write{ size =, storage = }', group: 'device', args: [size, arg('storage', 'without a name the nearest')], help: 'To storage, shared.', snippet: 'write{ size = #{bytes} }' },
  { name: 'sleep', signature: 'sleep(s)', group: 'device', args: [], help: 'Nothing for so many seconds.', snippet: 'sleep(#{seconds})' },
  { name: 'phase', signature: 'phase(name)', group: 'device', args: [], help: 'What follows is this phase: times are reported by phase.', snippet: 'phase("#{name}")' },
  {
    name: 'loop', signature: 'loop(n, function() .. end)', group: 'device', args: [],
    help: 'Repeats without recording n copies. The function has no index: use for where turns differ.', snippet: 'loop(#{n}, function()\n  #{}\nend)',
  },
  { name: 'now', signature: 'now()', group: 'device', args: [], help: 'The simulated time in seconds. It makes the label live: run alongside simulated time instead of recorded.', snippet: 'now()' },
  {
    name: 'cart', signature: 'cart{ nx, ny, nz, periodic = false }', group: 'grid', args: [arg('periodic', 'true, or { true, false, .. } for each dimension')],
    help: 'A grid; the last dimension runs fastest, as in MPI. It has :coords(rank), :rank{ x, y, z }, :neighbor(rank, dim, dir) and :size().', snippet: 'cart{ #{nx}, #{ny} }',
  },
  { name: 'dims', signature: 'dims(p, n)', group: 'grid', args: [], help: 'n factors of p, as equal as they come, the largest first.', snippet: 'dims(#{p}, #{n})' },
  { name: 'computation', signature: 'computation(dataSize, type, stack, threads, complexity, op, opt)', group: 'paper', args: [], help: 'compute, with the order of arguments of the publication.', snippet: 'computation(#{dataSize}, "#{type}")' },
  { name: 'p2pCommunicationSend', signature: 'p2pCommunicationSend(size, label)', group: 'paper', args: [], help: 'p2p_send under its name in the publication.', snippet: 'p2pCommunicationSend(#{size}, "#{label}")' },
  { name: 'p2pCommunicationReceive', signature: 'p2pCommunicationReceive(label)', group: 'paper', args: [], help: 'p2p_recv under its name in the publication.', snippet: 'p2pCommunicationReceive("#{label}")' },
  { name: 'one2oneCommunicationSend', signature: 'one2oneCommunicationSend(size, label, n)', group: 'paper', args: [], help: 'one2one_send under its name in the publication.', snippet: 'one2oneCommunicationSend(#{size}, "#{label}", #{n})' },
  { name: 'one2oneCommunicationReceive', signature: 'one2oneCommunicationReceive(label)', group: 'paper', args: [], help: 'one2one_recv under its name in the publication.', snippet: 'one2oneCommunicationReceive("#{label}")' },
  { name: 'scatterSend', signature: 'scatterSend(size, labels)', group: 'paper', args: [], help: 'scatter_send under its name in the publication.', snippet: 'scatterSend(#{size}, { "#{label}" })' },
  { name: 'scatterReceive', signature: 'scatterReceive(label)', group: 'paper', args: [], help: 'scatter_recv under its name in the publication.', snippet: 'scatterReceive("#{label}")' },
];

/** Methods of what `cart` gives. */
export const methods: Pick<Call, 'name' | 'signature' | 'help'>[] = [
  { name: 'coords', signature: 'grid:coords(rank)', help: 'List of coordinates, each from 0; c[1] is the first.' },
  { name: 'rank', signature: 'grid:rank{ x, y, z }', help: 'The rank there; nil outside, wrapped along a periodic dimension.' },
  { name: 'neighbor', signature: 'grid:neighbor(rank, dim, dir)', help: 'The rank dir further along dimension dim (from 1); nil over an edge.' },
  { name: 'size', signature: 'grid:size()', help: 'Number of processes.' },
];

export const groups: Record<Call['group'], string> = {
  declare: 'Parameters and labels', compute: 'Computing', message: 'Messages between processes', labels: 'Messages between labels',
  collective: 'Collectives', farm: 'Farms', device: 'Devices, storage, time', grid: 'Grids', paper: "The paper's names",
};

export const byName = new Map(calls.map((call) => [call.name, call]));

export const keywords = [
  'and', 'break', 'continue', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'if', 'in', 'local', 'nil', 'not', 'or',
  'repeat', 'return', 'then', 'true', 'until', 'while',
];

/** What there is of Luau's own library, with the members worth completing. */
export const library: Record<string, string[]> = {
  math: ['abs', 'ceil', 'clamp', 'cos', 'exp', 'floor', 'fmod', 'huge', 'log', 'log10', 'max', 'min', 'modf', 'pi', 'pow', 'random', 'round', 'sign', 'sin', 'sqrt', 'tan'],
  string: ['byte', 'char', 'find', 'format', 'gsub', 'len', 'lower', 'match', 'rep', 'reverse', 'split', 'sub', 'upper'],
  table: ['clear', 'clone', 'concat', 'create', 'find', 'freeze', 'insert', 'move', 'pack', 'remove', 'sort', 'unpack'],
  bit32: ['band', 'bnot', 'bor', 'bxor', 'lshift', 'rshift', 'countlz', 'countrz'],
  utf8: ['char', 'codepoint', 'len'],
  buffer: ['create', 'len'],
};

export const basics = ['assert', 'error', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'rawequal', 'rawget', 'rawlen', 'rawset', 'select', 'setmetatable', 'getmetatable', 'tonumber', 'tostring', 'type', 'typeof', 'unpack', 'xpcall'];
