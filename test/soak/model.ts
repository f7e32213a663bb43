/**
 * Outcome of a write. `unknown` means that it may or may not have happened, for example after a 500 or a lost
 * connection.
 */
export type Outcome = "done" | "refused" | "unknown";

export type Wallet = { network: string; address: string };

type SettingValue = string | number | boolean;
export type Patch = Readonly<Record<string, SettingValue>>;

/** Profile values that an operator can change. */
export type ProfileValues = { tier?: "Base" | "Pro"; points?: number; xp?: number };

const profileDefaults = { tier: "Base", points: 0, xp: 0 } as const satisfies Required<ProfileValues>;

const walletLimits = { Base: 10, Pro: 50 };

/** Tracks the data that a user may have, given the responses to the user's writes. */
export type Model = {
  noteImport(wallet: Wallet, outcome: Outcome): void;
  noteSettings(chain: string, patch: Patch, outcome: Outcome): void;
  /** Records a version of an order or a position. Versions of a record only grow. */
  noteExecution(id: string, version: number, outcome: Outcome): void;
  noteProfile(values: ProfileValues, outcome: Outcome): void;
  /** True if the user may have reached the wallet limit. Tiers only rise. */
  isPerhapsFull(): boolean;
  isPro(): boolean;
  /** Each of these methods returns contradictions to the responses as sentences. */
  problemsOfWallets(found: readonly Wallet[]): string[];
  problemsOfSettings(chain: string, found: Readonly<Record<string, unknown>>): string[];
  problemsOfProfile(found: ProfileValues): string[];
  /**
   * Checks the rewards shown to the user.
   * @param rewards as shown to the user
   */
  problemsOfRewards(rewards: readonly { id: string; cost: number; userCanAfford: boolean }[]): string[];
  /**
   * Checks the orders and positions shown to the user.
   * @param found versions by id
   */
  problemsOfExecutions(found: ReadonlyMap<string, number>): string[];
};

/** Tracks one user's writes. Writes of one setting or record must be recorded one after another, in order. */
export function createModel(): Model {
  const wallets = new Map<string, Outcome>();
  /** Possible values of each setting, where undefined means its default. */
  const settings = new Map<string, Set<SettingValue | undefined>>();
  const executions = new Map<string, Set<number | undefined>>();
  const profile = new Map<string, Set<SettingValue | undefined>>();
  const possibleIn = <Name extends keyof ProfileValues>(name: Name) =>
    [...(profile.get(name) ?? [undefined])].map(
      (value) => (value ?? profileDefaults[name]) as Required<ProfileValues>[Name],
    );
  const nameOf = ({ network, address }: Wallet) => `${network} ${address}`;

  return {
    noteImport(wallet, outcome) {
      const name = nameOf(wallet);
      const before = wallets.get(name);
      if (before === "done" || (before === "unknown" && outcome === "refused")) return;
      wallets.set(name, outcome);
    },
    noteSettings(chain, patch, outcome) {
      for (const [name, value] of Object.entries(patch)) note(settings, `${chain} ${name}`, value, outcome);
    },
    noteExecution: (id, version, outcome) => note(executions, id, version, outcome),
    noteProfile(values, outcome) {
      for (const [name, value] of Object.entries(values)) note(profile, name, value, outcome);
    },
    isPerhapsFull() {
      const most = [...wallets.values()].filter((outcome) => outcome !== "refused").length;
      return possibleIn("tier").some((tier) => most >= walletLimits[tier]);
    },

    isPro: () => possibleIn("tier").includes("Pro"),

    problemsOfWallets(found) {
      const names = found.map(nameOf);
      const held = new Set(names);
      const missing = [...wallets].filter(([name, outcome]) => outcome === "done" && !held.has(name));
      const extra = names.filter((name) => (wallets.get(name) ?? "refused") === "refused");
      return [
        ...missing.map(([name]) => `wallet ${name} was acknowledged and is missing`),
        ...extra.map((name) => `wallet ${name} was never accepted but exists`),
        ...(held.size < names.length ? ["a wallet is listed twice"] : []),
        ...(possibleIn("tier").some((tier) => held.size <= walletLimits[tier])
          ? []
          : [`${held.size} wallets are more than the tier allows`]),
      ];
    },
    problemsOfSettings(chain, found) {
      return Object.entries(found).flatMap(([name, value]) => {
        const possible = settings.get(`${chain} ${name}`);
        if (possible === undefined || possible.has(undefined)) {
          // Accepts any default, because other tests check the defaults. Slippages set by this program are
          // recognizable.
          if (ownerOfSlippage(value) === undefined) return [];
        }
        if (possible?.has(value as SettingValue)) return [];
        const allowed = [...(possible ?? [undefined])].map((each) => each ?? "its default").join(" or ");
        return [`setting ${name} of ${chain} is ${String(value)} instead of ${allowed}`];
      });
    },
    problemsOfProfile(found) {
      return (Object.keys(profileDefaults) as (keyof ProfileValues)[]).flatMap((name) => {
        const allowed: unknown[] = possibleIn(name);
        if (found[name] === undefined || allowed.includes(found[name])) return [];
        return [`${name} is ${found[name]} instead of ${allowed.join(" or ")}`];
      });
    },
    problemsOfRewards(rewards) {
      const fits = (points: number) =>
        rewards.every(({ cost, userCanAfford }) => userCanAfford === points >= cost);
      if (possibleIn("points").some(fits)) return [];
      const shown = rewards.filter(({ userCanAfford }) => userCanAfford).map(({ id }) => id);
      return [`can afford ${shown.join(", ") || "nothing"} with ${possibleIn("points").join(" or ")} points`];
    },
    problemsOfExecutions(found) {
      const wrong = [...executions].filter(([id, possible]) => !possible.has(found.get(id)));
      const extra = [...found.keys()].filter((id) => !executions.has(id));
      return [
        ...wrong.map(([id, possible]) => {
          const allowed = [...possible].map((version) => version ?? "none").join(" or ");
          return `record ${id} has version ${found.get(id) ?? "none"} instead of ${allowed}`;
        }),
        ...extra.map((id) => `record ${id} was never accepted but exists`),
      ];
    },
  };
}

/** Updates the possible values: a completed change leaves one, and a change with an unknown outcome adds one. */
function note<Value>(
  registers: Map<string, Set<Value | undefined>>,
  name: string,
  value: Value,
  outcome: Outcome,
): void {
  const possible = registers.get(name) ?? new Set([undefined]);
  registers.set(name, possible);
  if (outcome === "done") possible.clear();
  if (outcome !== "refused") possible.add(value);
}

/**
 * Computes a slippage that belongs to one user: 1 % plus 0.01 % for each earlier user. The last two of its four
 * decimals vary between changes and are never 0, so they differ from any default.
 */
export const slippageOf = (index: number, first: number, second: number): number =>
  Number((1 + index / 100 + (10 * first + 1 + second) / 10_000).toFixed(4));

/** Maximum number of users with separate slippages, because a slippage is at most 100 %. */
export const maxUsers = 9000;

/** Returns the index of the user with this slippage. Undefined for other values. */
export function ownerOfSlippage(value: unknown): number | undefined {
  if (typeof value !== "number" || !/^\d+\.\d{3}[1-9]$/.test(String(value))) return undefined;
  return Math.floor(Number((value * 100).toFixed(2)) - 100);
}
