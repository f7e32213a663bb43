import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type Engine, engineStart, startTable } from "../../../support/dynamodb.ts";
import { run } from "./admin.ts";
import { type Imported, opened, rotate, stored, targetWith, userWithWallets } from "./custody.ts";
import { expectNoSecretPrinted } from "./secrets.ts";

/** Sets up, before each test, a service with six wallets whose KMS key was rotated after their import. */
export function rewrappingForTests() {
  let engine: Engine;
  const world = {
    target: {} as ReturnType<typeof targetWith>,
    /** The wallets that the table should hold. */
    wallets: [] as Imported[],
    newTable: () => engine.newTable(),
    rewrapKeys: (...args: string[]) => run(world.target, ["rewrap-keys", ...args]),

    /** How many wallets have each key material, the most frequent first. */
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

/** The summary line of the command. */
export const tally = (rewrapped: number, current: number, failed: number) =>
  `re-wrapped: ${rewrapped}\nalready new: ${current}\nfailed: ${failed}\n`;
