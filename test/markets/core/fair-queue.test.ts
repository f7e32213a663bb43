import { describe, expect, it } from "vitest";
import { FairQueue } from "../../../lib/markets/core/fair-queue.ts";

/** Names tasks by their users, such as "ann+bob 1". */
const usersOf = (task: string) => task.split(" ")[0]?.split("+").filter(Boolean) ?? [];

const taken = (queue: FairQueue, tasks: readonly string[]) => queue.next(tasks, usersOf)?.task;

describe("FairQueue", () => {
  it("gives a user one place at a time, however many places there are", () => {
    const queue = new FairQueue(3);
    const greedy = ["ann 1", "ann 2", "ann 3"];
    expect(taken(queue, greedy)).toBe("ann 1");
    expect(taken(queue, greedy)).toBeUndefined();
    expect(taken(queue, [...greedy, "bob 1"])).toBe("bob 1");
  });

  it("gives no more places than there are", () => {
    const queue = new FairQueue(2);
    const tasks = ["ann 1", "bob 1", "eve 1"];
    const [first, second] = [queue.next(tasks, usersOf), queue.next(tasks, usersOf)];
    expect([first?.task, second?.task, taken(queue, tasks)]).toEqual(["ann 1", "bob 1", undefined]);
    second?.free();
    expect(taken(queue, tasks)).toBe("eve 1");
  });

  it("serves the user who has waited longest, so that one who comes late is next", () => {
    const queue = new FairQueue(1);
    const tasks = Array.from({ length: 20 }, (_, index) => `ann ${index}`);
    const served: (string | undefined)[] = [];
    for (const round of [0, 1, 2, 3]) {
      const next = queue.next(round < 2 ? tasks : [...tasks, "bob 1", "eve 1"], usersOf);
      served.push(next?.task);
      tasks.splice(tasks.indexOf(next?.task ?? ""), 1);
      next?.free();
    }
    expect(served).toEqual(["ann 0", "ann 1", "bob 1", "eve 1"]);
  });

  it("takes the place of a user who has none if several want a task", () => {
    const queue = new FairQueue(2);
    expect(taken(queue, ["ann 1"])).toBe("ann 1");
    expect(taken(queue, ["ann+bob 2"])).toBe("ann+bob 2");
  });

  it("shares one place among the tasks that nobody wants", () => {
    const queue = new FairQueue(2);
    expect([taken(queue, [" 1"]), taken(queue, [" 2"])]).toEqual([" 1", undefined]);
  });
});
