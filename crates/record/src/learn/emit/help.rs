//! Functions of a script that calls are told by.

/// Help with requests, by the numbers of the calls that made them; each is written where its name occurs.
pub(super) const HELP: [(&str, &str); 8] = [
    (
        "halo(",
        "-- a message to and from each neighbor in the grid
  local function halo(size)
    local all = {}
    for dim = 1, #q do for by = -1, 1, 2 do
      local steps = {}
      for other = 1, #q do steps[other] = if other == dim then by else 0 end
      local to = at(steps)
      if to and to ~= rank then
        table.insert(all, irecv{ from = to, tag = 1073741824 })
        table.insert(all, isend{ to = to, size = size, tag = 1073741824 })
      end
    end end
    if #all > 0 then waitall(all) end
  end
",
    ),
    (
        "quiet(",
        "-- accesses to windows that are under way
  local pending = {}
  local function access(to, from, size)
    if from and from ~= rank then table.insert(pending, irecv{ from = from, tag = 1073741825 }) end
    if to and to ~= rank then table.insert(pending, isend{ to = to, size = size, tag = 1073741825 }) end
  end
  local function quiet()
    if #pending > 0 then waitall(pending) end
    pending = {}
  end
",
    ),
    (
        "line{",
        "-- the ranks that differ from this one in the free dimensions of the grid only
  local function line(free)
    local all = {}
    local function go(dim, place)
      if dim > #q then
        local steps = {}
        for other = 1, #q do steps[other] = place[other] - c[other] end
        table.insert(all, at(steps))
        return
      end
      for at = if free[dim] then 0 else c[dim], if free[dim] then q[dim] - 1 else c[dim] do
        place[dim] = at
        go(dim + 1, place)
      end
    end
    go(1, {})
    return comm(all)
  end
",
    ),
    ("inside(", "local function inside(to) return if to >= 0 and to < p then to else nil end\n"),
    (
        "exchange(",
        "local function exchange(to, from, size, tag)
    local a = if from then irecv{ from = from, tag = \"any\" } else nil
    local b = if to then isend{ to = to, size = size, tag = tag } else nil
    if a then wait(a) end
    if b then wait(b) end
  end
",
    ),
    (
        "post(",
        "local function post(n, request)
    local all = r[n] or {}
    table.insert(all, request)
    r[n] = all
  end
",
    ),
    (
        "begin{",
        "local function begin(from)
    for _, n in from do for _, request in r[n] or {} do start(request) end end
  end
",
    ),
    (
        "finish{",
        "local function finish(from)
    local all = {}
    for _, n in from do
      for _, request in r[n] or {} do table.insert(all, request) end
      if not lasting[n] then r[n] = nil end
    end
    if #all > 0 then waitall(all) end
  end
",
    ),
];

/// The grid of ranks that are halved in one dimension after the other: their bits, the highest first, go to the dimensions
/// in turn. `from_place` gives the rank at a place that counts with the last dimension fastest.
pub(super) fn bisected(dims: usize) -> String {
    format!(
        "-- halved in one dimension after the other: the bits of a rank go to the dimensions in turn
local function dealt(rank)
  local c, dim = table.create({dims}, 0), 1
  for bit = lg - 1, 0, -1 do
    c[dim] = 2*c[dim] + bit32.band(bit32.rshift(rank, bit), 1)
    dim = dim % {dims} + 1
  end
  return c
end
local q = dealt(p - 1)
for dim = 1, {dims} do q[dim] = q[dim] + 1 end
local function from_place(place)
  if not place then return nil end
  local rest, rank = {{}}, 0
  for dim = {dims}, 1, -1 do
    rest[dim] = place % q[dim]
    place = place // q[dim]
  end
  local left, dim = table.clone(q), 1
  for bit = lg - 1, 0, -1 do
    left[dim] = left[dim]/2
    rank = 2*rank + rest[dim] // left[dim]
    rest[dim] = rest[dim] % left[dim]
    dim = dim % {dims} + 1
  end
  return rank
end
"
    )
}
