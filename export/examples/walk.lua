-- LuaJIT, as in LÖVE: LD_LIBRARY_PATH=build luajit walk.lua
local ffi = require("ffi")
ffi.cdef [[
typedef struct tb_grid tb_grid; typedef struct tb_agent tb_agent;
const char *tb_error(void);
tb_grid *tb_grid_new(const unsigned char *passable, int width, int height, const char *options);
tb_agent *tb_agent_new(tb_grid *, const char *kind, int start_x, int start_y, int goal_x, int goal_y, const char *options);
int tb_agent_step(tb_agent *, long long expansions, int *x, int *y);
void tb_agent_free(tb_agent *); void tb_grid_free(tb_grid *);
]]
local timebound = ffi.load("timebound")

local function made(handle, free)
  if handle == nil then error(ffi.string(timebound.tb_error()), 2) end
  return ffi.gc(handle, free) -- freed by the garbage collector
end

local width, height = 16, 9
local cells = ffi.new("unsigned char[?]", width * height)
for i = 0, width * height - 1 do
  cells[i] = (i % width ~= 8 or math.floor(i / width) >= 7) and 1 or 0
end
local grid = made(timebound.tb_grid_new(cells, width, height, "neighbors=8"), timebound.tb_grid_free)
local agent = made(timebound.tb_agent_new(grid, "rtaa", 1, 1, 14, 1, "terrain=unknown lookahead=20"), timebound.tb_agent_free)
local x, y = ffi.new("int[1]"), ffi.new("int[1]")
local status
repeat status = timebound.tb_agent_step(agent, 20, x, y) until status ~= 0
print(("(%d, %d) status %d"):format(x[0], y[0], status))
print(select(2, pcall(made, timebound.tb_agent_new(grid, "rtaa", 8, 1, 14, 1, nil), timebound.tb_agent_free)))
