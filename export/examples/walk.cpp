// g++ -std=c++17 walk.cpp -Ibuild -Lbuild -ltimebound -Wl,-rpath,build -o walk
#include <iostream>
#include <timebound.hpp>

int main() {
    std::vector<unsigned char> cells(16 * 9, 1);
    for (int y = 0; y < 7; y++)
        cells[y * 16 + 8] = 0; // a wall with a gap
    timebound::Grid grid(cells, 16, 9, "neighbors=8");
    timebound::Agent agent = grid.agent("rtaa", {1, 1}, {14, 1}, "terrain=unknown lookahead=20");
    int status = TB_GOING;
    while (status == TB_GOING)
        status = agent.step(20);
    std::cout << "(" << agent.place.x << ", " << agent.place.y << ") after " << agent.record().moves << " moves\n";
    timebound::Fleet fleet = grid.fleet("collisions=push");
    std::vector<int> units = fleet.add("rtaa", {{0, 0}, {1, 0}, {2, 0}}, {{15, 8}, {14, 8}, {13, 8}});
    for (int i = 0; i < 60; i++)
        fleet.tick(200);
    for (int reason : fleet.reasons(units))
        std::cout << (reason == TB_UNIT_ARRIVED ? "arrived\n" : "under way\n");
    try {
        grid.agent("rtaa", {8, 1}, {14, 1});
    } catch (const timebound::Error &error) {
        std::cout << error.what() << "\n";
    }
}
