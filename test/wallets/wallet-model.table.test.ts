import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networks } from "../../lib/core/network.ts";
import type { Table } from "../../lib/table/table.ts";
import { readProfile } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";
import { listEvents } from "../../lib/wallets/list-events.ts";
import { listWallets } from "../../lib/wallets/list-wallets.ts";
import { colorTags, type ListedWallet } from "../../lib/wallets/wallet.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { holderOf } from "../support/wallets.ts";
import { type Choice, type WalletActionName, walletActions } from "./wallet-actions.ts";
import { type Found, WalletModel } from "./wallet-model.ts";

const db = tableForTests();

const isFull = process.env.FULL !== undefined;
const limit = 3;

type Action = Choice & { name: WalletActionName };
type Real = { table: Table; strangersWallet: string; answers: Set<string> };
type Command = fc.AsyncCommand<WalletModel, Real>;

/** Rejects results that no action may have. */
const isRight = (answer: string) =>
  /^(?:done|added|held|restored|EXPORT_LIMIT_REACHED|WALLET_\w+)$/.test(answer);

/** Starts several actions at once, each on different wallets. */
class AtOnce implements Command {
  readonly #actions: readonly Action[];

  constructor(actions: readonly Action[]) {
    this.#actions = actions;
  }

  check = () => true;

  async run(model: WalletModel, { answers, ...real }: Real): Promise<void> {
    const busy = new Set<string>();
    const before = model.inState("active").length;
    const outcomes = await Promise.all(
      this.#actions.map(({ name, ...choice }) => {
        const player = { ...real, ...choice, model, busy, key: `k${++model.requests}` };
        return walletActions[name](player).then((outcome) => (outcome ? [{ name, ...outcome }] : []));
      }),
    );
    const round = outcomes.flat();
    const most = before + round.filter(({ places }) => places === 1).length;
    for (const { name, answer, apply } of round) {
      answers.add(`${name}: ${answer}`);
      expect(answer, name).toSatisfy(isRight);
      if (answer === "WALLET_LIMIT_REACHED") expect(most, name).toBeGreaterThanOrEqual(limit);
      apply();
    }
  }

  toString = () => this.#actions.map((action) => Object.values(action).join(" ")).join(" + ");
}

/** Advances the user's clock. */
class DaysPass implements Command {
  readonly #days: number;

  constructor(days: number) {
    this.#days = days;
  }

  check = () => true;

  async run(model: WalletModel): Promise<void> {
    model.day += this.#days;
  }

  toString = () => `${this.#days} days`;
}

const weights: Record<WalletActionName, number> = {
  create: 20,
  createTwice: 4,
  repeat: 6,
  import: 24,
  importSealed: 4,
  export: 4,
  retire: 22,
  retireAgain: 3,
  restore: 12,
  restoreTooLate: 3,
  rename: 8,
  meddle: 2,
};

const names = Object.keys(weights) as WalletActionName[];
const action: fc.Arbitrary<Action> = fc.record({
  name: fc.oneof(...names.map((name) => ({ arbitrary: fc.constant(name), weight: weights[name] }))),
  number: fc.nat(11),
  network: fc.constantFrom(...networks),
  color: fc.constantFrom(...colorTags),
});
const atOnce = fc
  .array(action, { minLength: 1, maxLength: 4, size: "max" })
  .map((actions) => new AtOnce(actions));
// Lets so many days pass that some retired wallets are removed, but not all.
const days = fc.constantFrom(1, 10, 31).map((number) => new DaysPass(number));

async function found(table: Table, { userID, wallets }: WalletModel): Promise<Found> {
  const profile = await readProfile(table, userID);
  const events = new Map<string, string[]>();
  for (const walletId of wallets.keys())
    events.set(
      walletId,
      await allPages(async (cursor) => {
        const query = { limit: "7", cursor };
        const { events: page, ...rest } = await listEvents(table, { userID, walletId }, query);
        return { page: page.map(({ type }) => type as string), ...rest };
      }),
    );
  return {
    walletCount: profile?.walletCount ?? -1,
    lastSlot: profile?.lastSlot ?? -1,
    stored: await walletsOfUser(table, userID),
    listed: (await listWallets(table, userID, {})).wallets,
    paged: await allPages<ListedWallet>(async (cursor) => {
      const { wallets: page, ...rest } = await listWallets(table, userID, { limit: "3", cursor });
      return { page, ...rest };
    }),
    events,
  };
}

async function allPages<Element>(
  read: (cursor: string | undefined) => Promise<{ page: Element[]; cursor?: string }>,
): Promise<Element[]> {
  const all: Element[] = [];
  let cursor: string | undefined;
  do {
    const answer: { page: Element[]; cursor?: string } = await read(cursor);
    all.push(...answer.page);
    cursor = answer.cursor;
  } while (cursor !== undefined);
  return all;
}

describe("the wallets of a user", () => {
  it(
    "matches the responses in counts, places, lists, pages and events, whatever happens at the same time",
    async () => {
      const { table } = db;
      const [stranger] = await holderOf(table, "stranger", ["0x1"]);
      const answers = new Set<string>();
      const real = { table, strangersWallet: stranger?._id ?? "", answers };
      let users = 0;
      const history = fc.commands([...Array(11).fill(atOnce), days], {
        maxCommands: isFull ? 60 : 12,
        size: "max",
      });
      const property = fc.asyncProperty(history, async (commands) => {
        const model = new WalletModel(`u${++users}`, limit);
        await register(table, { userID: model.userID, names: [], ref: undefined }, new Date());
        await fc.asyncModelRun(() => ({ model, real }), commands);
        expect(model.problems(await found(table, model))).toEqual([]);
      });
      const check = (seed: number) => fc.assert(property, { seed, numRuns: isFull ? 20 : 3 });
      await Promise.all([1, 2, 3, 4, 5].map(check));
      const wanted = ["create: done", "create: WALLET_LIMIT_REACHED", "import: added", "import: restored"];
      wanted.push("importSealed: done", "export: done", "retire: done", "restore: done", "rename: done");
      expect([...answers]).toEqual(expect.arrayContaining(wanted));
    },
    isFull ? 900_000 : 60_000,
  );
});
