/** A cell: x to the right and y down, from 0. */
export type Place = [x: number, y: number];
/** What an agent is doing. */
export type Status = "going" | "goal" | "unreachable" | "stuck" | "memory";
/** What an interval may spend: one of the three. `expansions` may be Infinity. */
export type Budget = { expansions: number } | { ms: number } | { virtualMs: number };
export interface GridOptions {
  neighbors?: 4 | 8;
  corners?: "strict" | "cut";
  diagonal?: 1.4;
}
/** Those of Python: `timebound agents NAME` lists them. */
export type AgentOptions = { terrain?: "known" | "unknown"; [parameter: string]: string | number | boolean | undefined };
export interface Turn {
  status: Status;
  x: number;
  y: number;
}
export interface Record {
  moves: number;
  intervals: number;
  searches: number;
  expansions: number;
  backMoves: number;
  traceSteps: number;
  updates: number;
  memoryBytes: number;
  cost: number;
  planningUs: number;
}
export interface Library {
  /** The names of its agents. */
  readonly kinds: string[];
  /** Make a grid of numbers or booleans, row by row, 0 where nothing can be. */
  grid(passable: ArrayLike<number | boolean>, width: number, height: number, options?: GridOptions): Grid;
}
/** A map. Free it when it is no longer needed; its agents still have it. Errors are thrown as `Error`. */
export interface Grid {
  block(cells: Place[]): void;
  unblock(cells: Place[]): void;
  isFree(x: number, y: number): boolean;
  /** The places of a cheapest path, both ends included; empty if there is none. */
  shortestPath(start: Place, goal: Place): Place[];
  agent(kind: string, start: Place, goal: Place, options?: AgentOptions): Agent;
  fleet(options?: { collisions?: "none" | "wait" | "push"; memory_mb?: number }): Fleet;
  free(): void;
}
/** Many units with one budget. What a unit is doing is a number: 0 absent, 1 moving, 2 waiting for its turn to plan,
 * 3 blocked, 4 unreachable, 5 arrived, 6 out of memory, 7 stuck. */
export interface Fleet {
  /** Add a unit for each start and goal; return their numbers. */
  add(kind: string, starts: Place[], goals: Place[], options?: AgentOptions): number[];
  retarget(units: number[], goals: Place[]): void;
  remove(units: number[]): void;
  /** Move all units, and let as many plan as the budget allows; return how many moved. */
  tick(budget: { ms: number } | { expansions: number }): number;
  /** Where units are: x, y, x, y, ... */
  positions(units: number[]): Int32Array;
  reasons(units: number[]): Int32Array;
  free(): void;
}
export interface Agent {
  readonly status: Status;
  /** The path that it intends to follow, its position first; empty while it searches. */
  readonly path: Place[];
  /** Where it has been. */
  readonly trail: Place[];
  readonly record: Record;
  /** Run one interval in the grid: make the move decided in the last one, observe, plan. */
  step(budget: Budget): Turn;
  /** In a world of your own: plan, and return where to go next. Then report where it is. */
  plan(budget: { expansions: number } | { ms: number }): Turn;
  moved(x: number, y: number): void;
  observe(seen: { blocked?: Place[]; free?: Place[] }): void;
  /** Go to another goal from now on. */
  retarget(x: number, y: number): void;
  free(): void;
}
/** Load the library: from timebound.wasm beside this module, another URL, its bytes, or a compiled module. */
export function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<Library>;
