import { createECDH, createHash } from "node:crypto";
import bs58 from "bs58";
import type { Table } from "../../../lib/aws/table.ts";
import type { Vault } from "../../../lib/aws/vault.ts";
import { DomainError } from "../../../lib/domain/domain-error.ts";
import { type Network, networks } from "../../../lib/domain/network.ts";
import { readPrivateKey } from "../../../lib/domain/private-key.ts";
import { keyIDOf, spkiOf } from "../../../lib/domain/sealing.ts";
import { colorTags, newWallet } from "../../../lib/domain/wallet.ts";
import { addWallet } from "../../../lib/wallets/add-wallet.ts";
import { changeWallet } from "../../../lib/wallets/change-wallet.ts";
import { createWallet } from "../../../lib/wallets/create-wallet.ts";
import { exportWallet } from "../../../lib/wallets/export-wallet.ts";
import { importSealedWallet, type SealedBody } from "../../../lib/wallets/import-sealed-wallet.ts";
import { restoreWallet } from "../../../lib/wallets/restore-wallet.ts";
import { retireWallet } from "../../../lib/wallets/retire-wallet.ts";
import { sealExport } from "../../../lib/wallets/seal-export.ts";
import { newEvmKey } from "../../support/keys.ts";
import { exportKeyPair, sealedImport } from "../../support/sealing.ts";
import { fakeSeal } from "../../support/wallets.ts";
import type { Chance } from "../chance.ts";
import type { Held, WalletModel } from "./wallet-model.ts";

const dayMs = 86_400_000;
const start = Date.now();

/** A user, and what one round of actions has to know. */
export type Player = {
  table: Table;
  vault: Vault;
  model: WalletModel;
  chance: Chance;
  /** Wallets and addresses that another action of the round is about, so that the outcome of each is certain. */
  busy: Set<string>;
  /** The id of another user's wallet, if there is one. */
  strangersWallet: () => string | undefined;
};

/** What an action has come to, and what that changes in the model. Undefined if there was nothing to act on. */
export type Outcome = { answer: string; places: -1 | 0 | 1; apply: () => void } | undefined;

const limitsOf = ({ limit }: WalletModel) => ({ Base: limit, Pro: limit, Enterprise: limit });

const nowOf = ({ day }: WalletModel) => new Date(start + day * dayMs);

/** The outcome of a call that may be refused. */
async function outcomeOf<Result>(
  call: Promise<Result>,
  done: (result: Result) => NonNullable<Outcome>,
): Promise<Outcome> {
  try {
    return done(await call);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { answer: error.code, places: 0, apply: () => {} };
  }
}

const unchanged = (answer: string): NonNullable<Outcome> => ({ answer, places: 0, apply: () => {} });

/** One of the wallets that no other action of the round is about. */
function taken({ busy, chance }: Player, wallets: readonly Held[]): Held | undefined {
  const held = chance.pick(wallets.filter(({ id, address }) => !busy.has(id) && !busy.has(address)));
  if (held !== undefined) for (const name of [held.id, held.address]) busy.add(name);
  return held;
}

/** An address that a user imports again and again. */
const addressOf = (userID: string, network: Network, index: number) =>
  `0x${createHash("sha256").update(`${userID} ${network} ${index}`).digest("hex").slice(0, 40)}`;

const named = ({ model }: Player, walletId: string) => ({
  userID: model.userID,
  walletId,
  now: nowOf(model),
});

const create = ({ table, vault, model }: Player, key: string, network: Network) =>
  createWallet(
    { table, vault, limits: limitsOf(model) },
    { userID: model.userID, now: nowOf(model), key, body: { network } },
  );

const retire = (player: Player, walletId: string) =>
  retireWallet(
    { table: player.table, limits: limitsOf(player.model), wake: async () => undefined },
    named(player, walletId),
  );

const restore = (player: Player, walletId: string) =>
  restoreWallet(player.table, { ...named(player, walletId), limits: limitsOf(player.model) });

/** In place of a key in KMS. */
const importPair = createECDH("prime256v1");
const point = importPair.generateKeys();
const keyID = keyIDOf(spkiOf(point));
const offered = { keyId: keyID, publicKey: point.toString("base64url") };
const importKeys = async () => [
  { keyID, point, agree: async (other: Uint8Array) => importPair.computeSecret(other) },
];

const exportDelaySeconds = 60;

/** Asks for an export once and again after the delay, and returns the address of the private key that comes out. */
async function exportedAddress({ table, vault, model }: Player, { id: walletId, network }: Held) {
  const { userID } = model;
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

/** What users do. */
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

  async importSealed({ table, vault, model, chance }: Player): Promise<Outcome> {
    const { userID } = model;
    const [key, made] = [`s${chance.number()}`, newEvmKey("eth")];
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
    const { model, chance } = player;
    const [key, network] = [`k${chance.number()}`, chance.pick(networks)];
    return outcomeOf(create(player, key, network), ({ wallet, isReplayed }) => ({
      answer: isReplayed ? "replayed at once" : "done",
      places: 1,
      apply: () => {
        model.made.set(key, { id: wallet._id, network });
        model.add(wallet, "created");
      },
    }));
  },

  /** The same request twice at once, and a third time. */
  async createTwice(player: Player): Promise<Outcome> {
    const { model, chance } = player;
    const [key, network] = [`k${chance.number()}`, chance.pick(networks)];
    const both = await Promise.allSettled([create(player, key, network), create(player, key, network)]);
    const answers = both.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const codes = both.flatMap((each) => (each.status === "rejected" ? [each.reason?.code] : []));
    const [made] = answers;
    // A place that is freed in between leaves one of them refused.
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
    const { model, chance } = player;
    const [key, made] = chance.pick([...model.made]) ?? [];
    const held = made && model.wallets.get(made.id);
    if (key === undefined || made === undefined || held === undefined) return undefined;
    const isGone = model.stateOf(held) === "gone";
    const outcome = await outcomeOf(create(player, key, made.network), ({ wallet, isReplayed }) =>
      unchanged(isReplayed && wallet._id === made.id ? "done" : "another wallet"),
    );
    return expected(outcome, isGone ? "WALLET_NOT_FOUND" : "done");
  },

  async import(player: Player): Promise<Outcome> {
    const { table, model, chance, busy } = player;
    const network = chance.pick(["eth", "base"] as const);
    const address = addressOf(model.userID, network, chance.below(3));
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
    const { table, model, chance } = player;
    const held = taken(player, model.inState("active"));
    if (held === undefined) return undefined;
    const labels = { slotName: chance.pick(["Sniper", "Vault", null]), colortag: chance.pick(colorTags) };
    const change = changeWallet(table, { ...named(player, held.id), labels });
    return outcomeOf(change, () => ({
      ...unchanged("done"),
      apply: () => model.label(held, labels),
    }));
  },

  async meddle(player: Player): Promise<Outcome> {
    const walletId = player.strangersWallet();
    if (walletId === undefined) return undefined;
    const change = () =>
      changeWallet(player.table, { ...named(player, walletId), labels: { slotName: "Mine" } });
    const meddling = player.chance.pick([
      () => retire(player, walletId),
      () => restore(player, walletId),
      change,
    ]);
    return expected(await outcomeOf<unknown>(meddling(), () => unchanged("done")), "WALLET_NOT_FOUND");
  },
};

function expected(outcome: Outcome, must: string): Outcome {
  return outcome && (outcome.answer === must ? outcome : unchanged(`${outcome.answer} instead of ${must}`));
}

export type WalletActionName = keyof typeof walletActions;
