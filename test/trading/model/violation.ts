/** Reports that the code under test broke an invariant. */
export class Violation extends Error {}

export function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Violation(message);
}
