// timebound for C++17: handles that free themselves, and errors as exceptions. See timebound.h for what everything does.
#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "timebound.h"

namespace timebound {

struct Error : std::runtime_error {
    Error() : std::runtime_error(tb_error()) {}
};

struct Place {
    int x, y;
};

inline int checked(int status) {
    if (status < 0)
        throw Error();
    return status;
}

template <class Handle> Handle *made(Handle *handle) {
    if (!handle)
        throw Error();
    return handle;
}

inline const int *numbers(const std::vector<Place> &places) { return places.empty() ? nullptr : &places.front().x; }

template <class Call> std::vector<Place> places(Call call) {
    std::vector<Place> found(checked(call(nullptr, 0)));
    if (!found.empty())
        found.resize(checked(call(&found.front().x, static_cast<int>(found.size()))));
    return found;
}

class Agent {
public:
    Agent(tb_grid *grid, const std::string &kind, Place start, Place goal, const std::string &options)
        : handle(made(tb_agent_new(grid, kind.c_str(), start.x, start.y, goal.x, goal.y, options.c_str())), tb_agent_free) {}

    // Each returns what the agent is doing, such as TB_GOING; `place` is where it is, or where to go next.
    int step(long long expansions) { return checked(tb_agent_step(handle.get(), expansions, &place.x, &place.y)); }
    int step_ms(double ms) { return checked(tb_agent_step_ms(handle.get(), ms, &place.x, &place.y)); }
    int plan(long long expansions) { return checked(tb_agent_plan(handle.get(), expansions, &place.x, &place.y)); }
    int plan_ms(double ms) { return checked(tb_agent_plan_ms(handle.get(), ms, &place.x, &place.y)); }
    void moved(Place to) { checked(tb_agent_moved(handle.get(), to.x, to.y)); }
    void retarget(Place goal) { checked(tb_agent_retarget(handle.get(), goal.x, goal.y)); }
    void observe(const std::vector<Place> &blocked, const std::vector<Place> &free) {
        checked(tb_agent_observe(handle.get(), numbers(blocked), static_cast<int>(blocked.size()), numbers(free),
            static_cast<int>(free.size())));
    }
    int status() { return checked(tb_agent_status(handle.get())); }
    std::vector<Place> path() {
        return places([this](int *xy, int room) { return tb_agent_path(handle.get(), xy, room); });
    }
    std::vector<Place> trail() {
        return places([this](int *xy, int room) { return tb_agent_trail(handle.get(), xy, room); });
    }
    tb_record record() {
        tb_record found;
        checked(tb_agent_record(handle.get(), &found));
        return found;
    }

    Place place{0, 0};

private:
    std::unique_ptr<tb_agent, void (*)(tb_agent *)> handle;
};

class Fleet {
public:
    Fleet(tb_grid *grid, const std::string &options) : handle(made(tb_fleet_new(grid, options.c_str())), tb_fleet_free) {}

    std::vector<int> add(const std::string &kind, const std::vector<Place> &starts, const std::vector<Place> &goals,
        const std::string &options = "") {
        std::vector<int> units(starts.size());
        if (starts.size() != goals.size())
            throw std::invalid_argument("each unit needs a start and a goal");
        checked(tb_fleet_add(handle.get(), kind.c_str(), numbers(starts), numbers(goals), static_cast<int>(starts.size()),
            options.c_str(), units.data()));
        return units;
    }
    void retarget(const std::vector<int> &units, const std::vector<Place> &goals) {
        if (units.size() != goals.size())
            throw std::invalid_argument("each unit needs a goal");
        checked(tb_fleet_retarget(handle.get(), units.data(), numbers(goals), static_cast<int>(units.size())));
    }
    void remove(const std::vector<int> &units) {
        checked(tb_fleet_remove(handle.get(), units.data(), static_cast<int>(units.size())));
    }
    int tick(long long expansions) { return checked(tb_fleet_tick(handle.get(), 0, expansions)); }
    int tick_ms(double ms) { return checked(tb_fleet_tick(handle.get(), ms, 0)); }
    std::vector<Place> positions(const std::vector<int> &units) {
        std::vector<Place> found(units.size());
        if (!units.empty())
            checked(tb_fleet_positions(handle.get(), units.data(), static_cast<int>(units.size()), &found.front().x));
        return found;
    }
    std::vector<int> reasons(const std::vector<int> &units) {
        std::vector<int> found(units.size());
        checked(tb_fleet_reasons(handle.get(), units.data(), static_cast<int>(units.size()), found.data()));
        return found;
    }

private:
    std::unique_ptr<tb_fleet, void (*)(tb_fleet *)> handle;
};

class Grid {
public:
    Grid(const std::vector<unsigned char> &passable, int width, int height, const std::string &options = "")
        : handle(made(tb_grid_new(fitting(passable, width, height), width, height, options.c_str())), tb_grid_free) {}

    void block(const std::vector<Place> &cells) {
        checked(tb_grid_block(handle.get(), numbers(cells), static_cast<int>(cells.size())));
    }
    void unblock(const std::vector<Place> &cells) {
        checked(tb_grid_unblock(handle.get(), numbers(cells), static_cast<int>(cells.size())));
    }
    bool is_free(Place cell) { return checked(tb_grid_is_free(handle.get(), cell.x, cell.y)) == 1; }
    std::vector<Place> shortest_path(Place start, Place goal) {
        return places([&](int *xy, int room) {
            return tb_shortest_path(handle.get(), start.x, start.y, goal.x, goal.y, nullptr, xy, room);
        });
    }
    Agent agent(const std::string &kind, Place start, Place goal, const std::string &options = "") {
        return Agent(handle.get(), kind, start, goal, options);
    }
    Fleet fleet(const std::string &options = "") { return Fleet(handle.get(), options); }

private:
    static const unsigned char *fitting(const std::vector<unsigned char> &passable, int width, int height) {
        if (width < 1 || height < 1 || passable.size() != static_cast<size_t>(width) * static_cast<size_t>(height))
            throw std::invalid_argument("a map has width times height cells");
        return passable.data();
    }

    std::unique_ptr<tb_grid, void (*)(tb_grid *)> handle;
};

} // namespace timebound
