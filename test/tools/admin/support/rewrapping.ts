import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type Engine, engineStart, startTable } from "../../../support/dynamodb.ts";
import { run } from "./admin.ts";
import { type Imported, opened, rotate, stored, targetWith, userWithWallets } from "./custody.ts";
import { expectNoSecretPrinted } from "./secrets.ts";

/** Before each test, sets up a service with six wallets and rotates its KMS key after their import. */
export function rewrappingForTests() {
  let engine: Engine;
  const world = {
    target: {} as ReturnType<typeof targetWith>,
    /** Wallets that the table should still contain. */
    wallets: [] as Imported[],
    newTable: () => engine.newTable(),
    rewrapKeys: (...args: string[]) => run(world.target, ["rewrap-keys", ...args]),

    /** Counts the wallets under each key material, largest count first. */
    async materials(): Promise<number[]> {
      const all = await Promise.all(world.wallets.map(({ wallet }) => stored(world.target, wallet)));
      const groups = Map.groupBy(all, ({ keyMaterialId }) => keyMaterialId);
      return [...groups.values()].map(({ length }) => length).toSorted((a, b) => b - a);
    },

    async expectAllOpen(): Promise<void> {
      for (const { wallet, secret } of world.wallets)
        expect(await opened(world.target, wallet)).toEqual(secret);
    },
  };

  beforeAll(async () => {
    engine = await startTable();
  }, engineStart);
  beforeEach(async () => {
    world.target = targetWith(await engine.newTable());
    world.wallets = await userWithWallets(world.target, "alice", 6);
    for (const { wallet } of world.wallets) await stored(world.target, wallet);
    await rotate(world.target);
  });
  afterEach(async () => {
    for (const { wallet } of world.wallets) await stored(world.target, wallet);
    expectNoSecretPrinted();
  });
  afterAll(() => engine.stop());
  return world;
}

/** Formats the command's summary line. */
export const tally = (rewrapped: number, current: number, failed: number) =>
  `re-wrapped: ${rewrapped}\nalready new: ${current}\nfailed: ${failed}\n`;
