/**
 * Shares places among users: a user has at most one place at a time, and the user who has waited longest is next. So
 * nobody who wants much delays others by more than what is in progress.
 */
export class FairQueue {
  readonly #places: number;
  readonly #busy = new Set<string>();
  /** Numbers of the turns in which users were last served. */
  readonly #served = new Map<string, number>();
  #turn = 0;

  /** @param places Number of places. */
  constructor(places: number) {
    this.#places = places;
  }

  /**
   * Gives a place to one of these tasks. Of several tasks of a user, the first is chosen.
   *
   * @param usersOf Lists the users who want a task. The task takes the place of the one who has waited longest. A task
   * that nobody wants shares a place with others of its kind.
   * @returns the task, with its user and the function that frees the place. Undefined if all places are taken, or if
   * all users have one.
   */
  next<Task>(
    tasks: readonly Task[],
    usersOf: (task: Task) => readonly string[],
  ): { task: Task; user: string; free: () => void } | undefined {
    if (this.#busy.size >= this.#places) return undefined;
    let best: { task: Task; user: string; served: number } | undefined;
    for (const task of tasks) {
      const users = usersOf(task);
      for (const user of users.length === 0 ? [""] : users) {
        const served = this.#served.get(user) ?? 0;
        if (!this.#busy.has(user) && served < (best?.served ?? Number.POSITIVE_INFINITY))
          best = { task, user, served };
      }
    }
    if (best === undefined) return undefined;
    const { task, user } = best;
    this.#busy.add(user);
    this.#served.set(user, ++this.#turn);
    return { task, user, free: () => this.#busy.delete(user) };
  }
}
