import { randomBytes } from "node:crypto";
import { readProfile } from "../../../lib/aws/profile-records.ts";
import type { Table } from "../../../lib/aws/table.ts";
import type { Vault } from "../../../lib/aws/vault.ts";
import { walletsOfUser } from "../../../lib/aws/wallet-records.ts";
import type { ListedWallet } from "../../../lib/domain/wallet.ts";
import { register } from "../../../lib/users/register.ts";
import { listEvents } from "../../../lib/wallets/list-events.ts";
import { listWallets } from "../../../lib/wallets/list-wallets.ts";
import { createChance } from "../chance.ts";
import { type Outcome, type Player, type WalletActionName, walletActions } from "./wallet-actions.ts";
import { WalletModel } from "./wallet-model.ts";

export type WalletSoakOptions = {
  /** Of all users together. */
  actions: number;
  users: number;
  /** The most wallets of a user. */
  limit: number;
  /** Decides what is done. What comes of it depends on the timing too. */
  seed: number;
  onProgress?: (done: number) => void;
};

export type WalletSoakReport = {
  /** How many actions came to each answer. */
  answers: Map<string, number>;
  /** Empty if counts, places and lists are those of the model. */
  problems: string[];
};

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

/** The most actions of a user at once. */
const mostAtOnce = 4;

/** The answers that end an action otherwise than it should. */
const isWrong = (answer: string) =>
  !/^(?:done|added|held|restored|EXPORT_LIMIT_REACHED|WALLET_\w+)$/.test(answer);

/**
 * Users make, import, export, name, retire and restore wallets, all of them in parallel, each several at once. Then their wallets are
 * compared with what the answers say.
 */
export async function walletSoak(
  table: Table,
  { actions, users, limit, seed, onProgress }: WalletSoakOptions,
): Promise<WalletSoakReport> {
  const answers: WalletSoakReport["answers"] = new Map();
  const problems: string[] = [];
  const run = randomBytes(4).toString("hex");
  const models = Array.from({ length: users }, (_, index) => new WalletModel(`u${index}-${run}`, limit));
  let left = actions;

  async function play(model: WalletModel, index: number): Promise<void> {
    const { userID } = model;
    const chance = createChance(`wallets of ${index} ${seed}`);
    const stranger = models[(index + 1) % models.length];
    const strangersWallet = () =>
      stranger !== model && stranger ? [...stranger.wallets.keys()][0] : undefined;
    await register(table, { userID, names: [], ref: undefined }, new Date());
    while (left > 0) {
      // Enough for some retired wallets to be gone, and for others not to be.
      if (chance.below(12) === 0) model.day += chance.pick([1, 10, 31]);
      const busy = new Set<string>();
      const player: Player = { table, vault: fakeVault, model, chance, busy, strangersWallet };
      const names = Array.from({ length: 1 + chance.below(mostAtOnce) }, () => chance.weighted(weights));
      const before = model.inState("active").length;
      const outcomes = await Promise.all(
        names.map(async (name) => [name, await walletActions[name](player)] as const),
      );
      const round = outcomes.filter((each): each is [WalletActionName, NonNullable<Outcome>] => {
        return each[1] !== undefined;
      });
      const added = round.filter(([, { places }]) => places === 1).length;
      for (const [name, { answer, apply }] of round) {
        apply();
        left--;
        answers.set(`${name}: ${answer}`, (answers.get(`${name}: ${answer}`) ?? 0) + 1);
        if (isWrong(answer)) problems.push(`${name} of ${userID}: ${answer}`);
        if (answer === "WALLET_LIMIT_REACHED" && before + added < limit)
          problems.push(`${name} of ${userID} was refused with ${before + added} of ${limit} wallets`);
      }
      onProgress?.(actions - Math.max(0, left));
    }
  }

  await Promise.all(models.map(play));
  for (const model of models) problems.push(...model.problems(await found(table, model)));
  return { answers, problems };
}

/** In place of KMS. */
const fakeVault = {
  keyID: "key",
  client: {
    send: async () => ({
      Plaintext: Buffer.alloc(32, 7),
      CiphertextBlob: Buffer.alloc(184, 1),
      $metadata: {},
    }),
  },
} as unknown as Vault;

async function found(table: Table, { userID, wallets }: WalletModel) {
  const profile = await readProfile(table, userID);
  const events = new Map<string, string[]>();
  for (const walletId of wallets.keys())
    events.set(
      walletId,
      await allPages(async (cursor) => {
        const { events: page, ...rest } = await listEvents(
          table,
          { userID, walletId },
          { limit: "7", cursor },
        );
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
