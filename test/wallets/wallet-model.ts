import type { Network } from "../../lib/core/network.ts";
import type { ColorTag, ListedWallet, Wallet } from "../../lib/wallets/wallet.ts";

/** Last day on which a wallet retired on day 0 can be restored. Users' clocks jump by whole days. */
const lastDay = 30;

type Labels = { slotName?: string | null; colortag?: ColorTag };

/** A wallet as the responses describe it. */
export type Held = {
  id: string;
  address: string;
  network: Network;
  slot: number;
  slotName: string | undefined;
  colortag: ColorTag | undefined;
  version: number;
  /** Day of the wallet's retirement, by the user's clock. */
  retiredOn: number | undefined;
  /** Types of the wallet's events, oldest first. */
  events: string[];
  /** True once another wallet has the same address. */
  isReplaced: boolean;
};

/** A user's wallets as the responses describe them. */
export class WalletModel {
  readonly userID: string;
  readonly limit: number;
  /** Clock of the user, in days. */
  day = 0;
  /** Counts requests, so that each has its own Idempotency-Key. */
  requests = 0;
  readonly wallets = new Map<string, Held>();
  /** Created wallets by idempotency key, with the body of the request. */
  readonly made = new Map<string, { id: string; network: Network }>();

  constructor(userID: string, limit: number) {
    this.userID = userID;
    this.limit = limit;
  }

  stateOf({ retiredOn, isReplaced }: Held): "active" | "retired" | "gone" {
    if (isReplaced) return "gone";
    if (retiredOn === undefined) return "active";
    return this.day - retiredOn > lastDay ? "gone" : "retired";
  }

  inState(state: "active" | "retired" | "gone"): Held[] {
    return [...this.wallets.values()].filter((held) => this.stateOf(held) === state);
  }

  /** Finds the wallet that has an address, unless that wallet was removed. */
  at(network: Network, address: string): Held | undefined {
    const held = [...this.wallets.values()].find(
      (each) => each.network === network && each.address === address && !each.isReplaced,
    );
    return held && this.stateOf(held) !== "gone" ? held : undefined;
  }

  /** Adds a wallet that a response reported as new. */
  add(wallet: Wallet, event: "created" | "imported"): void {
    const { _id: id, generatedWalletAddress: address, network, slot, slotName, colortag } = wallet;
    for (const held of this.wallets.values())
      if (held.network === network && held.address === address) held.isReplaced = true;
    const labels = { slotName, colortag };
    const fresh = { version: 1, retiredOn: undefined, events: [event], isReplaced: false };
    this.wallets.set(id, { id, address, network, slot, ...labels, ...fresh });
  }

  retire(held: Held): void {
    this.#change(held, "retired");
    held.retiredOn = this.day;
  }

  restore(held: Held): void {
    this.#change(held, "restored");
    held.retiredOn = undefined;
  }

  label(held: Held, { slotName, colortag }: Labels): void {
    const name = slotName === undefined ? held.slotName : (slotName ?? undefined);
    const colour = colortag ?? held.colortag;
    if (name === held.slotName && colour === held.colortag) return;
    this.#change(held, "renamed");
    Object.assign(held, { slotName: name, colortag: colour });
  }

  #change(held: Held, event: string): void {
    held.version++;
    held.events.push(event);
  }

  /** Names each difference between the service and this model. */
  problems(found: Found): string[] {
    const active = this.inState("active");
    const stored = [...this.wallets.values()].filter(({ isReplaced }) => !isReplaced);
    const slots = [...this.wallets.values()].map(({ slot }) => slot);
    const differs = (what: string, is: unknown, must: unknown) =>
      JSON.stringify(is) === JSON.stringify(must)
        ? []
        : [`${what} of ${this.userID}: ${JSON.stringify(is)} instead of ${JSON.stringify(must)}`];
    return [
      ...differs("walletCount", found.walletCount, active.length),
      ...(active.length > this.limit ? [`${this.userID} has ${active.length} of ${this.limit} wallets`] : []),
      ...(new Set(slots).size < slots.length ? [`two wallets of ${this.userID} had the same slot`] : []),
      ...differs("lastSlot", found.lastSlot, Math.max(0, ...slots)),
      ...differs("wallets", found.stored.map(lineOfStored).sort(), stored.map(lineOf).sort()),
      ...differs(
        "list",
        found.listed.map(({ _id }) => _id),
        active.toSorted((a, b) => a.slot - b.slot).map(({ id }) => id),
      ),
      ...differs("pages", found.paged, versionedList(found)),
      ...[...this.wallets.values()].flatMap(({ id, events }) =>
        differs(`events of ${id}`, found.events.get(id)?.toSorted(), events.toSorted()),
      ),
    ];
  }
}

/** Adds the versions from the pages, because the list has none. */
const versionedList = ({ listed, stored }: Found) =>
  listed.map((wallet) => ({ ...wallet, version: stored.find(({ _id }) => _id === wallet._id)?.version }));

/** Records of a user in the service. */
export type Found = {
  walletCount: number;
  lastSlot: number;
  stored: readonly Wallet[];
  listed: readonly ListedWallet[];
  /** Wallets as returned by the paged route. */
  paged: readonly (ListedWallet & { version?: number })[];
  events: ReadonlyMap<string, string[]>;
};

const lineOf = ({ id, address, network, slot, slotName, colortag, version, retiredOn }: Held) =>
  [id, address, network, slot, slotName, colortag, version, retiredOn !== undefined].join(" ");

const lineOfStored = (wallet: Wallet) =>
  lineOf({
    ...wallet,
    id: wallet._id,
    address: wallet.generatedWalletAddress,
    slotName: wallet.slotName,
    colortag: wallet.colortag,
    version: wallet.version ?? 1,
    retiredOn: wallet.retiredAt === undefined ? undefined : 0,
    events: [],
    isReplaced: false,
  });
