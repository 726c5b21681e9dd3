// rustc walk.rs -L build -l timebound && LD_LIBRARY_PATH=build ./walk
use std::ffi::{c_char, c_int, c_longlong, c_uchar, CStr, CString};

#[repr(C)]
struct RawGrid([u8; 0]);
#[repr(C)]
struct RawAgent([u8; 0]);

extern "C" {
    fn tb_error() -> *const c_char;
    fn tb_grid_new(passable: *const c_uchar, width: c_int, height: c_int, options: *const c_char) -> *mut RawGrid;
    fn tb_grid_free(grid: *mut RawGrid);
    fn tb_agent_new(
        grid: *mut RawGrid,
        kind: *const c_char,
        start_x: c_int,
        start_y: c_int,
        goal_x: c_int,
        goal_y: c_int,
        options: *const c_char,
    ) -> *mut RawAgent;
    fn tb_agent_step(agent: *mut RawAgent, expansions: c_longlong, x: *mut c_int, y: *mut c_int) -> c_int;
    fn tb_agent_free(agent: *mut RawAgent);
}

fn said() -> String {
    unsafe { CStr::from_ptr(tb_error()).to_string_lossy().into_owned() }
}

// Raw pointers keep these in one thread, as the library wants it.
struct Grid(*mut RawGrid);
struct Agent(*mut RawAgent);

impl Grid {
    fn new(passable: &[u8], width: usize, height: usize) -> Result<Grid, String> {
        assert_eq!(passable.len(), width * height);
        let made = unsafe { tb_grid_new(passable.as_ptr(), width as c_int, height as c_int, std::ptr::null()) };
        if made.is_null() { Err(said()) } else { Ok(Grid(made)) }
    }

    fn agent(&self, kind: &str, start: (i32, i32), goal: (i32, i32), options: &str) -> Result<Agent, String> {
        let (kind, options) = (CString::new(kind).unwrap(), CString::new(options).unwrap());
        let made = unsafe {
            tb_agent_new(self.0, kind.as_ptr(), start.0, start.1, goal.0, goal.1, options.as_ptr())
        };
        if made.is_null() { Err(said()) } else { Ok(Agent(made)) }
    }
}

impl Agent {
    fn step(&mut self, expansions: i64) -> Result<(i32, i32, i32), String> {
        let (mut x, mut y) = (0, 0);
        let status = unsafe { tb_agent_step(self.0, expansions, &mut x, &mut y) };
        if status < 0 { Err(said()) } else { Ok((status, x, y)) }
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        unsafe { tb_grid_free(self.0) }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        unsafe { tb_agent_free(self.0) }
    }
}

fn main() -> Result<(), String> {
    let cells: Vec<u8> = (0..16 * 9).map(|i| u8::from(i % 16 != 8 || i / 16 >= 7)).collect();
    let grid = Grid::new(&cells, 16, 9)?;
    let mut agent = grid.agent("rtaa", (1, 1), (14, 1), "terrain=unknown lookahead=20")?;
    loop {
        let (status, x, y) = agent.step(20)?;
        if status != 0 {
            println!("({x}, {y}) status {status}");
            break;
        }
    }
    println!("{}", grid.agent("rtaa", (8, 1), (14, 1), "").err().unwrap());
    Ok(())
}
