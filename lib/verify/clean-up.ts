type Step = { what: string; undo: () => Promise<unknown> };

/** What has to be removed at the end, the latest first. */
export class CleanUp {
  readonly #steps: Step[] = [];
  #isOver = false;

  /** @param what names what is removed, for people who may have to do it by hand. */
  add(what: string, undo: Step["undo"]): void {
    // A check that was interrupted may still make something. Nobody waits for it.
    if (this.#isOver) void undo().catch(() => {});
    else this.#steps.push({ what, undo });
  }

  /**
   * Removes everything. A step that fails does not keep the others from running.
   *
   * @returns what could not be removed.
   */
  async run(onStep: (what: string) => void): Promise<{ what: string; error: unknown }[]> {
    const failed: { what: string; error: unknown }[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      const { what, undo } = step;
      onStep(what);
      try {
        await undo();
      } catch (error) {
        failed.push({ what, error });
      }
    }
    this.#isOver = true;
    return failed;
  }
}
