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
        table.insert(all, g:rank(place))
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
