import { createECDH, createHash } from "node:crypto";
import bs58 from "bs58";
import type { Vault } from "../../lib/aws/vault.ts";
import { readPrivateKey } from "../../lib/chains/families/key.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import type { Network } from "../../lib/core/network.ts";
import type { Table } from "../../lib/table/table.ts";
import { addWallet } from "../../lib/wallets/add-wallet.ts";
import { changeWallet } from "../../lib/wallets/change-wallet.ts";
import { createWallet } from "../../lib/wallets/create-wallet.ts";
import { exportWallet } from "../../lib/wallets/export/export-wallet.ts";
import { sealExport } from "../../lib/wallets/export/seal-export.ts";
import { importSealedWallet, type SealedBody } from "../../lib/wallets/import-sealed-wallet.ts";
import { exportKey } from "../../lib/wallets/item-keys.ts";
import { keyIdOf, spkiOf } from "../../lib/wallets/keys/sealing.ts";
import { restoreWallet } from "../../lib/wallets/restore-wallet.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import { type ColorTag, newWallet } from "../../lib/wallets/wallet.ts";
import { putItems } from "../support/items.ts";
import { newEvmKey } from "../support/keys.ts";
import { exportKeyPair, sealedImport } from "../support/sealing.ts";
import { fakeSeal } from "../support/wallets.ts";
import type { Held, WalletModel } from "./wallet-model.ts";

const start = Date.now();

/** Random part of an action. */
export type Choice = { number: number; network: Network; color: ColorTag };

/** User of an action, with the data that the action needs. */
export type Player = Choice & {
  table: Table;
  model: WalletModel;
  /** Idempotency key of the request. */
  key: string;
  /**
   * Wallets and addresses that the round's other actions use, because two actions on one wallet would have an uncertain
   * outcome.
   */
  busy: Set<string>;
  strangersWallet: string;
};

/** Result of an action and its effect on the model. Undefined if the user had no wallet for the action. */
export type Outcome = { answer: string; places: -1 | 0 | 1; apply: () => void } | undefined;

const among = <Element>({ number }: Choice, elements: readonly Element[]): Element | undefined =>
  elements[number % elements.length];

/** Simulates KMS. */
const vault = {
  keyId: "key",
  client: {
    send: async () => ({
      Plaintext: Buffer.alloc(32, 7),
      CiphertextBlob: Buffer.alloc(184, 1),
      $metadata: {},
    }),
  },
} as unknown as Vault;

const limitsOf = ({ limit }: WalletModel) => ({ Base: limit, Pro: limit, Enterprise: limit });

const nowOf = ({ day }: WalletModel) => new Date(start + day * 86_400_000);

/** Turns a refusal into an outcome, too. */
async function outcomeOf<Result>(
  call: Promise<Result>,
  done: (result: Result) => NonNullable<Outcome>,
): Promise<Outcome> {
  try {
    return done(await call);
  } catch (error) {
    if (error instanceof DomainError) return unchanged(error.code);
    throw error;
  }
}

const unchanged = (answer: string): NonNullable<Outcome> => ({ answer, places: 0, apply: () => {} });

/** Picks a wallet that no other action of the round uses. */
function taken(player: Player, wallets: readonly Held[]): Held | undefined {
  const { busy } = player;
  const held = among(
    player,
    wallets.filter(({ id, address }) => !busy.has(id) && !busy.has(address)),
  );
  if (held !== undefined) for (const name of [held.id, held.address]) busy.add(name);
  return held;
}

/** Picks one of the few addresses that a user imports repeatedly. */
const addressOf = (userID: string, network: Network, index: number) =>
  `0x${createHash("sha256").update(`${userID} ${network} ${index}`).digest("hex").slice(0, 40)}`;

const named = ({ model }: Player, walletId: string) => ({
  userID: model.userID,
  walletId,
  now: nowOf(model),
});

const create = ({ table, model }: Player, key: string, network: Network) =>
  createWallet(
    { table, vault, limits: limitsOf(model) },
    { userID: model.userID, now: nowOf(model), key, body: { network } },
  );

const retire = (player: Player, walletId: string) =>
  retireWallet(
    {
      table: player.table,
      limits: limitsOf(player.model),
      wake: async () => undefined,
      endResting: async () => undefined,
    },
    named(player, walletId),
  );

const restore = (player: Player, walletId: string) =>
  restoreWallet(player.table, { ...named(player, walletId), limits: limitsOf(player.model) });

const importPair = createECDH("prime256v1");
const point = importPair.generateKeys();
const keyId = keyIdOf(spkiOf(point));
const offered = { keyId: keyId, publicKey: point.toString("base64url") };
const agree = async (other: Uint8Array) => importPair.computeSecret(other);
const importKeys = async () => [{ keyId, point, agree }];

const exportDelaySeconds = 60;

/** Requests an export, repeats the request after the delay, and returns the address of the exported private key. */
async function exportedAddress({ table, model, number }: Player, { id: walletId, network }: Held) {
  const { userID } = model;
  // A taken-over exportWallet may have left an unreadable request.
  if (number % 2 === 1) await putItems(table, [{ ...exportKey(userID, walletId), version: "1" }]);
  const { jwk, open } = await exportKeyPair();
  const ask = (now: Date) => {
    const sealing = { table, vault, delaySeconds: exportDelaySeconds, onExport: () => {} };
    const seal = () => sealExport(sealing, { userID, walletId }, now);
    const request = { userID, walletId, publicKey: jwk, now };
    return exportWallet({ table, delaySeconds: exportDelaySeconds, seal }, request);
  };
  const now = nowOf(model);
  const first = await ask(now);
  if (first.status === "ready") return "none: it was exported at once";
  const second = await ask(new Date(now.getTime() + (exportDelaySeconds + 1) * 1000));
  if (second.status === "pending") return "none: it was not exported after the delay";
  const key = await open(second, { network, walletId, userID });
  const { address } = await readPrivateKey(
    network,
    network === "sol" ? bs58.encode(key) : key.toString("hex"),
  );
  return address;
}

/** All actions of users on wallets. */
export const walletActions = {
  async export(player: Player): Promise<Outcome> {
    const made = player.model.inState("active").filter(({ events }) => events[0] === "created");
    const held = taken(player, made);
    if (held === undefined) return undefined;
    return outcomeOf(exportedAddress(player, held), (address) => ({
      ...unchanged(address === held.address ? "done" : `${address} instead of ${held.address}`),
      apply: () => void held.events.push("exportRequested", "exported"),
    }));
  },

  async importSealed({ table, model, key }: Player): Promise<Outcome> {
    const { userID } = model;
    const made = newEvmKey("eth");
    const body = (await sealedImport(offered, { userID, key, network: "eth" }, made.secret)) as SealedBody;
    const deps = { table, vault, importKeys, limits: limitsOf(model) };
    const request = { userID, now: nowOf(model), key, body };
    return outcomeOf(importSealedWallet(deps, request), ({ wallet, isReplayed }) => ({
      answer: !isReplayed && wallet.generatedWalletAddress === made.address ? "done" : "another wallet",
      places: 1,
      apply: () => model.add(wallet, "imported"),
    }));
  },

  async create(player: Player): Promise<Outcome> {
    const { model, key, network } = player;
    return outcomeOf(create(player, key, network), ({ wallet, isReplayed }) => ({
      answer: isReplayed ? "replayed at once" : "done",
      places: 1,
      apply: () => {
        model.made.set(key, { id: wallet._id, network });
        model.add(wallet, "created");
      },
    }));
  },

  /** Sends the same request twice at once. */
  async createTwice(player: Player): Promise<Outcome> {
    const { model, key, network } = player;
    const both = await Promise.allSettled([create(player, key, network), create(player, key, network)]);
    const answers = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const codes = both.flatMap((each) => (each.status === "rejected" ? [each.reason?.code] : []));
    const [made] = answers;
    // One of the requests is rejected if a place becomes free in between.
    if (codes.some((code) => code !== "WALLET_LIMIT_REACHED")) return unchanged(`failed: ${codes}`);
    if (made === undefined) return unchanged("WALLET_LIMIT_REACHED");
    const ids = new Set(answers.map(({ wallet }) => wallet._id));
    const added = answers.filter(({ isReplayed }) => !isReplayed).length;
    return {
      answer: ids.size === 1 && added === 1 ? "done" : `${ids.size} wallets, ${added} of them added`,
      places: 1,
      apply: () => {
        model.made.set(key, { id: made.wallet._id, network });
        model.add(made.wallet, "created");
      },
    };
  },

  async repeat(player: Player): Promise<Outcome> {
    const { model } = player;
    const [key, made] = among(player, [...model.made]) ?? [];
    const held = made && model.wallets.get(made.id);
    if (key === undefined || made === undefined || held === undefined) return undefined;
    const isGone = model.stateOf(held) === "gone";
    const outcome = await outcomeOf(create(player, key, made.network), ({ wallet, isReplayed }) =>
      unchanged(isReplayed && wallet._id === made.id ? "done" : "another wallet"),
    );
    return expected(outcome, isGone ? "WALLET_NOT_FOUND" : "done");
  },

  async import(player: Player): Promise<Outcome> {
    const { table, model, number, busy } = player;
    const network = number % 2 === 0 ? "eth" : "base";
    const address = addressOf(model.userID, network, number % 3);
    if (busy.has(address)) return undefined;
    busy.add(address);
    const held = model.at(network, address);
    const state = held && model.stateOf(held);
    const wallet = newWallet("imported", { userID: model.userID, network, address, now: nowOf(model) });
    const addition = { wallet, seal: fakeSeal, limits: limitsOf(model), now: nowOf(model) };
    const must = state === "active" ? "held" : state === "retired" ? "restored" : "added";
    return outcomeOf(addWallet(table, addition), ({ outcome, wallet: answered }) => ({
      answer: outcome === must ? outcome : `${outcome} instead of ${must}`,
      places: outcome === "held" ? 0 : 1,
      apply: () => {
        if (outcome === "added") model.add(answered, "imported");
        else if (outcome === "restored" && held) model.restore(held);
      },
    }));
  },

  async retire(player: Player): Promise<Outcome> {
    const held = taken(player, player.model.inState("active"));
    if (held === undefined) return undefined;
    return outcomeOf(retire(player, held.id), () => ({
      answer: "done",
      places: -1,
      apply: () => player.model.retire(held),
    }));
  },

  async retireAgain(player: Player): Promise<Outcome> {
    const held = taken(player, player.model.inState("retired"));
    if (held === undefined) return undefined;
    return expected(await outcomeOf(retire(player, held.id), () => unchanged("done")), "done");
  },

  async restore(player: Player): Promise<Outcome> {
    const held = taken(player, player.model.inState("retired"));
    if (held === undefined) return undefined;
    return outcomeOf(restore(player, held.id), () => ({
      answer: "done",
      places: 1,
      apply: () => player.model.restore(held),
    }));
  },

  async restoreTooLate(player: Player): Promise<Outcome> {
    const held = taken(player, player.model.inState("gone"));
    if (held === undefined) return undefined;
    return expected(await outcomeOf(restore(player, held.id), () => unchanged("done")), "WALLET_NOT_FOUND");
  },

  async rename(player: Player): Promise<Outcome> {
    const { table, model, number, color: colortag } = player;
    const held = taken(player, model.inState("active"));
    if (held === undefined) return undefined;
    const labels = { slotName: ["Sniper", "Vault", null][number % 3] ?? null, colortag };
    const change = changeWallet(table, { ...named(player, held.id), labels });
    return outcomeOf(change, () => ({
      ...unchanged("done"),
      apply: () => model.label(held, labels),
    }));
  },

  async meddle(player: Player): Promise<Outcome> {
    const { strangersWallet: id } = player;
    const change = () => changeWallet(player.table, { ...named(player, id), labels: { slotName: "Mine" } });
    const meddling = among<() => Promise<unknown>>(player, [
      () => retire(player, id),
      () => restore(player, id),
      change,
    ]);
    return expected(
      await outcomeOf(Promise.resolve(meddling?.()), () => unchanged("done")),
      "WALLET_NOT_FOUND",
    );
  },
};

function expected(outcome: Outcome, must: string): Outcome {
  return outcome && (outcome.answer === must ? outcome : unchanged(`${outcome.answer} instead of ${must}`));
}

export type WalletActionName = keyof typeof walletActions;
