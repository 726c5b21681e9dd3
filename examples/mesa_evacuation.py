"""An evacuation in Mesa: people walk to the exits of a building; halfway through one of the exits is blocked.

Mesa keeps the people and collects the data, one fleet moves them all.

Run it with ``python examples/mesa_evacuation.py``; it needs Mesa (``pip install mesa``).
"""

import mesa
import numpy as np

import timebound as tb

EXITS = [(0, 15), (31, 15)]


def building() -> np.ndarray:
    """Four rooms with doors, and a corridor between two exits."""
    free = np.ones((31, 32), bool)
    free[[0, -1], :] = free[:, [0, -1]] = False
    free[[12, 18], :] = free[:12, 16] = free[19:, 16] = False
    free[[12, 12, 18, 18], [7, 24, 7, 24]] = True  # doors
    free[15, [0, -1]] = True  # exits
    return free


class Person(mesa.Agent):
    """A person who wants to get out: a unit of the fleet."""

    def __init__(self, model: "Evacuation", place: tuple[int, int]):
        super().__init__(model)
        self.out = False
        self.unit = model.fleet.add("lss-lrta", start=place, goal=model.nearest_exit(place), lookahead=50)


class Evacuation(mesa.Model):
    """People in a building."""

    def __init__(self, people: int = 60, blocked_at: int = 10, seed: int = 1):
        super().__init__(seed=seed)
        self.world = tb.Grid(building(), neighbors=4)
        self.fleet = tb.Fleet(self.world, collisions="push", guidance=True)
        self.exits, self.blocked_at = list(EXITS), blocked_at
        rooms = [(x, y) for x in range(1, 31) for y in (*range(1, 12), *range(19, 30)) if self.world.passable[y, x]]
        for place in self.random.sample(rooms, people):
            Person(self, place)
        self.data = mesa.DataCollector({"inside": lambda model: len(model.fleet), "waiting": _waiting})

    def nearest_exit(self, place: tuple[int, int]) -> tuple[int, int]:
        """Return the nearest exit, by straight-line steps."""
        return min(self.exits, key=lambda exit_: abs(exit_[0] - place[0]) + abs(exit_[1] - place[1]))

    def step(self) -> None:
        """Simulate one second: everybody makes a step, with a millisecond of planning for all of them."""
        if self.steps == self.blocked_at:
            self.block_exit(self.exits[0])
        self.fleet.tick(expansions=4000)  # a game would use ms=1; this is the same on every machine
        for person in self.agents:
            if not person.out and self.fleet.status(person.unit) == ["arrived"]:
                person.out = True
                self.fleet.remove(person.unit)
        self.data.collect(self)

    def block_exit(self, exit_: tuple[int, int]) -> None:
        """Send everybody who is inside to the other exit."""
        self.exits.remove(exit_)
        if len(self.fleet):
            self.fleet.retarget(self.fleet.units, self.exits[0])
        self.world.block([exit_])


def _waiting(model: Evacuation) -> int:
    return model.fleet.status().count("blocked")


def main() -> None:
    """Watch how many are still inside."""
    model = Evacuation()
    while len(model.fleet) and model.steps < 300:
        model.step()
        if model.steps % 10 == 0:
            print(f"after {model.steps} s: {len(model.fleet)} people inside")
    print(f"all out after {model.steps} s" if not len(model.fleet) else "somebody is still inside")


if __name__ == "__main__":
    main()
