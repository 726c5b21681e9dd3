/** timebound in WebAssembly: agents that decide every move within a fixed budget. See timebound.d.ts. */

const GOING = 0;
const STATUSES = ["going", "goal", "unreachable", "stuck", "memory"];
const NO_LIMIT = 0x7fffffffffffffffn;

/** Load the library from a URL, the bytes of timebound.wasm, or a compiled module. */
export async function load(source = new URL("timebound.wasm", import.meta.url)) {
  const imports = { timebound: { now: () => performance.now() } };
  let made;
  try {
    if (source instanceof WebAssembly.Module) made = await WebAssembly.instantiate(source, imports);
    else if (source instanceof URL || typeof source === "string") {
      const bytes = await (await fetch(source)).arrayBuffer();
      made = (await WebAssembly.instantiate(bytes, imports)).instance;
    } else made = (await WebAssembly.instantiate(source, imports)).instance;
  } catch (error) {
    if (error instanceof WebAssembly.CompileError)
      throw new Error(`timebound needs WebAssembly that this browser does not have: ${error.message}`);
    throw error;
  }
  return new Library(made.exports);
}

class Library {
  #c;

  constructor(exports) {
    this.#c = exports;
  }

  /** The names of its agents. */
  get kinds() {
    const names = [];
    for (;;) {
      const name = this.#c.tb_agent_kind(names.length);
      if (!name) return names;
      names.push(this.#text(name));
    }
  }

  /** Make a grid of bytes, row by row, 0 where nothing can be. */
  grid(passable, width, height, options = {}) {
    if (passable.length !== width * height) throw new RangeError(`${width} x ${height} cells are needed, not ${passable.length}`);
    const cells = Uint8Array.from(passable, Number);
    const handle = this.#given(cells, (place) => this.#with(options, (text) => this.#c.tb_grid_new(place, width, height, text)));
    return new Grid(this, this.#made(handle));
  }

  /** @internal */
  get c() {
    return this.#c;
  }

  #made(handle) {
    if (!handle) throw new Error(this.error);
    return handle;
  }

  /** @internal */
  get error() {
    return this.#text(this.#c.tb_error());
  }

  /** @internal Throw what the library complains about. */
  checked(status) {
    if (status < 0) throw new Error(this.error);
    return status;
  }

  /** @internal */
  agent(grid, kind, start, goal, options) {
    const name = new TextEncoder().encode(`${kind}\0`);
    const handle = this.#given(name, (place) =>
      this.#with(options, (text) => this.#c.tb_agent_new(grid, place, ...start, ...goal, text)),
    );
    return this.#made(handle);
  }

  /** @internal */
  fleet(grid, options) {
    return this.#made(this.#with(options, (text) => this.#c.tb_fleet_new(grid, text)));
  }

  /** @internal */
  addUnits(fleet, kind, starts, goals, options) {
    const name = new TextEncoder().encode(`${kind}\0`);
    const view = this.room(4 * starts.length + 4, (units) =>
      this.places(starts, (from, count) =>
        this.places(goals, (to) =>
          this.#given(name, (text) => this.#with(options, (rest) => this.#c.tb_fleet_add(fleet, text, from, to, count, rest, units))),
        ),
      ),
    );
    return Array.from(new Int32Array(view.buffer, 0, starts.length));
  }

  /** @internal Call with numbers in the library's memory. */
  numbers(list, call) {
    return this.#given(Int32Array.from(list), call);
  }

  /** @internal Call with places in the library's memory. */
  places(cells, call) {
    return this.#given(Int32Array.from(cells.flat()), (place) => call(place, cells.length));
  }

  /** @internal Call with room for numbers, and return as many pairs of them as the call says. */
  pairs(call) {
    const count = this.checked(call(0n, 0));
    const place = this.#c.malloc(BigInt(8 * count + 8));
    if (!place) throw new Error("not enough memory");
    const found = Math.min(count, this.checked(call(place, count)));
    const flat = new Int32Array(this.#c.memory.buffer, Number(place), 2 * found);
    const pairs = Array.from({ length: found }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);
    this.#c.free(place);
    return pairs;
  }

  /** @internal Call with room for bytes; return a view of them. */
  room(size, call) {
    const place = this.#c.malloc(BigInt(size));
    if (!place) throw new Error("not enough memory");
    try {
      this.checked(call(place));
      return new DataView(this.#c.memory.buffer.slice(Number(place), Number(place) + size));
    } finally {
      this.#c.free(place);
    }
  }

  #with(options, call) {
    const text = Object.entries(options).map(([name, value]) => `${name}=${value}`).join(" ");
    return this.#given(new TextEncoder().encode(`${text}\0`), call);
  }

  #given(array, call) {
    const place = this.#c.malloc(BigInt(array.byteLength + 8));
    if (!place) throw new Error("not enough memory");
    new Uint8Array(this.#c.memory.buffer).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), Number(place));
    try {
      return call(place);
    } finally {
      this.#c.free(place);
    }
  }

  #text(place) {
    const bytes = new Uint8Array(this.#c.memory.buffer);
    let end = Number(place);
    while (bytes[end]) end++;
    return new TextDecoder().decode(bytes.slice(Number(place), end));
  }
}

class Grid {
  #library;
  #handle;

  constructor(library, handle) {
    this.#library = library;
    this.#handle = handle;
  }

  block(cells) {
    this.#library.checked(this.#library.places(cells, (place, count) => this.#library.c.tb_grid_block(this.#handle, place, count)));
  }

  unblock(cells) {
    this.#library.checked(this.#library.places(cells, (place, count) => this.#library.c.tb_grid_unblock(this.#handle, place, count)));
  }

  isFree(x, y) {
    return this.#library.checked(this.#library.c.tb_grid_is_free(this.#handle, x, y)) === 1;
  }

  /** The places of a cheapest path, both ends included; empty if there is none. */
  shortestPath(start, goal) {
    return this.#library.pairs((place, room) =>
      this.#library.c.tb_shortest_path(this.#handle, ...start, ...goal, 0n, place, room),
    );
  }

  /** Make an agent: `grid.agent("rtaa", [0, 0], [9, 9], { terrain: "unknown", lookahead: 20 })`. */
  agent(kind, start, goal, options = {}) {
    return new Agent(this.#library, this.#library.agent(this.#handle, kind, start, goal, options));
  }

  /** Make a fleet: `grid.fleet({ collisions: "push" })`. */
  fleet(options = {}) {
    return new Fleet(this.#library, this.#library.fleet(this.#handle, options));
  }

  free() {
    this.#library.c.tb_grid_free(this.#handle);
    this.#handle = 0n;
  }
}

class Fleet {
  #library;
  #handle;

  constructor(library, handle) {
    this.#library = library;
    this.#handle = handle;
  }

  /** Add a unit for each start and goal; return their numbers. */
  add(kind, starts, goals, options = {}) {
    if (starts.length !== goals.length) throw new RangeError("each unit needs a start and a goal");
    return this.#library.addUnits(this.#handle, kind, starts, goals, options);
  }

  /** Give units new goals, one for each. */
  retarget(units, goals) {
    if (units.length !== goals.length) throw new RangeError("each unit needs a goal");
    this.#library.checked(
      this.#library.places(goals, (places, count) =>
        this.#library.numbers(units, (numbers) => this.#library.c.tb_fleet_retarget(this.#handle, numbers, places, count)),
      ),
    );
  }

  remove(units) {
    this.#library.checked(
      this.#library.numbers(units, (numbers) => this.#library.c.tb_fleet_remove(this.#handle, numbers, units.length)),
    );
  }

  /** Move all units, and let as many plan as the budget allows; return how many moved. */
  tick({ ms, expansions }) {
    const most = ms !== undefined ? 0n : expansions === Infinity ? NO_LIMIT : BigInt(expansions);
    return this.#library.checked(this.#library.c.tb_fleet_tick(this.#handle, ms ?? 0, most));
  }

  /** Where units are: x, y, x, y, ... */
  positions(units) {
    return this.#told("tb_fleet_positions", units, 2);
  }

  /** What they are doing: see timebound.d.ts. */
  reasons(units) {
    return this.#told("tb_fleet_reasons", units, 1);
  }

  #told(what, units, each) {
    const { c } = this.#library;
    const view = this.#library.room(4 * each * units.length + 4, (place) =>
      this.#library.numbers(units, (numbers) => c[what](this.#handle, numbers, units.length, place)),
    );
    return new Int32Array(view.buffer, 0, each * units.length);
  }

  free() {
    this.#library.c.tb_fleet_free(this.#handle);
    this.#handle = 0n;
  }
}

class Agent {
  #library;
  #handle;

  constructor(library, handle) {
    this.#library = library;
    this.#handle = handle;
  }

  /** Run one interval; return what it is doing and where it is. */
  step(budget) {
    return this.#turn("step", budget);
  }

  /** Plan; return what it is doing and where to go next. */
  plan(budget) {
    return this.#turn("plan", budget);
  }

  #turn(what, { expansions, ms, virtualMs }) {
    const c = this.#library.c;
    let status = GOING;
    const view = this.#library.room(8, (place) => {
      const ends = [place, place + 4n];
      if (ms !== undefined) status = c[`tb_agent_${what}_ms`](this.#handle, ms, ...ends);
      else if (virtualMs !== undefined) status = c[`tb_agent_${what}_virtual_ms`](this.#handle, virtualMs, ...ends);
      else status = c[`tb_agent_${what}`](this.#handle, expansions === Infinity ? NO_LIMIT : BigInt(expansions), ...ends);
      return status;
    });
    return { status: STATUSES[status], x: view.getInt32(0, true), y: view.getInt32(4, true) };
  }

  get status() {
    return STATUSES[this.#library.checked(this.#library.c.tb_agent_status(this.#handle))];
  }

  /** The path that it intends to follow, its position first. */
  get path() {
    return this.#library.pairs((place, room) => this.#library.c.tb_agent_path(this.#handle, place, room));
  }

  /** Where it has been. */
  get trail() {
    return this.#library.pairs((place, room) => this.#library.c.tb_agent_trail(this.#handle, place, room));
  }

  /** What it has done so far. */
  get record() {
    const view = this.#library.room(80, (place) => this.#library.c.tb_agent_record(this.#handle, place));
    const names = ["moves", "intervals", "searches", "expansions", "backMoves", "traceSteps", "updates", "memoryBytes"];
    const counts = Object.fromEntries(names.map((name, i) => [name, Number(view.getBigInt64(8 * i, true))]));
    return { ...counts, cost: view.getFloat64(64, true), planningUs: view.getFloat64(72, true) };
  }

  moved(x, y) {
    this.#library.checked(this.#library.c.tb_agent_moved(this.#handle, x, y));
  }

  retarget(x, y) {
    this.#library.checked(this.#library.c.tb_agent_retarget(this.#handle, x, y));
  }

  observe({ blocked = [], free = [] }) {
    const { c } = this.#library;
    const told = this.#library.places(blocked, (walls, some) =>
      this.#library.places(free, (gaps, more) => c.tb_agent_observe(this.#handle, walls, some, gaps, more)),
    );
    this.#library.checked(told);
  }

  free() {
    this.#library.c.tb_agent_free(this.#handle);
    this.#handle = 0n;
  }
}
