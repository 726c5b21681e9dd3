// C# by P/Invoke, as in Unity: mcs Walk.cs && LD_LIBRARY_PATH=build mono Walk.exe
using System;
using System.Runtime.InteropServices;

static class Native {
    const string Library = "timebound";
    [DllImport(Library)] public static extern IntPtr tb_error();
    [DllImport(Library)] public static extern IntPtr tb_grid_new(byte[] passable, int width, int height, string options);
    [DllImport(Library)] public static extern void tb_grid_free(IntPtr grid);
    [DllImport(Library)] public static extern IntPtr tb_agent_new(
        IntPtr grid, string kind, int startX, int startY, int goalX, int goalY, string options);
    [DllImport(Library)] public static extern int tb_agent_step(IntPtr agent, long expansions, out int x, out int y);
    [DllImport(Library)] public static extern void tb_agent_free(IntPtr agent);
}

static class Walk {
    static IntPtr Made(IntPtr handle) {
        if (handle == IntPtr.Zero)
            throw new ArgumentException(Marshal.PtrToStringAnsi(Native.tb_error()));
        return handle;
    }

    static void Main() {
        var cells = new byte[16 * 9];
        for (int i = 0; i < cells.Length; i++)
            cells[i] = (byte)(i % 16 != 8 || i / 16 >= 7 ? 1 : 0);
        IntPtr grid = Made(Native.tb_grid_new(cells, 16, 9, null));
        IntPtr agent = Made(Native.tb_agent_new(grid, "rtaa", 1, 1, 14, 1, "terrain=unknown lookahead=20"));
        int x, y, status;
        do
            status = Native.tb_agent_step(agent, 20, out x, out y);
        while (status == 0);
        Console.WriteLine("({0}, {1}) status {2}", x, y, status);
        try {
            Made(Native.tb_agent_new(grid, "rtaa", 8, 1, 14, 1, null));
        } catch (ArgumentException error) {
            Console.WriteLine(error.Message);
        }
        Native.tb_agent_free(agent);
        Native.tb_grid_free(grid);
    }
}
