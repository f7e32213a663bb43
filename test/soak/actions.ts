import { isDeepStrictEqual } from "node:util";
import { order, position } from "../support/executions.ts";
import { evmNetworks, formsOf, newKey } from "../support/keys.ts";
import type { Chance } from "./chance.ts";
import { settingsIn } from "./follower.ts";
import { type Outcome, type Patch, type ProfileValues, slippageOf, type Wallet } from "./model.ts";
import type { Person } from "./people.ts";
import { strangersIn } from "./people.ts";
import type { Answer, Service } from "./service.ts";

/** Called with a description of each promise that the service breaks. */
export type Report = (problem: string) => void;

type World = { service: Service; chance: Chance; report: Report };
/** Performs an action. Returns the statuses of its responses, where 0 means no response. */
type Action = (world: World, person: Person) => Promise<number[]>;

/** Relative frequency of each action. */
export const weights = {
  listWallets: 14,
  listWalletsV2: 5,
  readProfile: 14,
  readReferrals: 5,
  readRewards: 4,
  changeSettings: 22,
  changeSettingsBadly: 3,
  importWallet: 9,
  importTwiceAtOnce: 2,
  importBadly: 3,
  recordExecutions: 10,
  changeTwiceAtOnce: 3,
  operate: 3,
  fidget: 2,
  useBadToken: 2,
  getLost: 2,
};

export type ActionName = keyof typeof weights;

/** Number of imports after which a user of this tier imports known keys again, most of them already held. */
const newKeys = { Base: 13, Pro: 53 };

/** Sends a request and searches the response for other users' data. */
async function ask({ service, report }: World, person: Person, method: string, path: string, body?: unknown) {
  const answer = await service.send(person, method, path, body);
  if (answer === undefined) return undefined;
  for (const stranger of strangersIn(answer.text, person))
    report(`${person.id} was sent ${stranger} by ${path}`);
  return answer;
}

/** Data may be read at any time, so each response must agree with all earlier ones. */
const reading =
  (path: string, problemsOf: (person: Person, json: unknown) => string[] = () => []): Action =>
  async (world, person) => {
    const answer = await ask(world, person, "GET", path);
    if (answer?.status === 200) {
      for (const problem of problemsOf(person, answer.json))
        world.report(`${person.id}, ${path}: ${problem}`);
    } else expectStatus(world, answer, path, [429]);
    return [answer?.status ?? 0];
  };

export const actions: Record<ActionName, Action> = {
  listWallets: reading("/listWallets", (person, json) => person.model.problemsOfWallets(walletsIn(json))),
  listWalletsV2: reading("/api/v2/wallets"),
  readProfile: reading("/getUserData", ({ model }, json) => [
    ...settingsIn(json).flatMap(([chain, settings]) => model.problemsOfSettings(chain, settings)),
    ...model.problemsOfProfile(profileValuesIn(json)),
  ]),
  readReferrals: reading("/getUserData?type=ref"),
  readRewards: reading("/api/waitlist/v2/rewards", ({ model }, json) =>
    model.problemsOfRewards(rewardsIn(json)),
  ),

  async changeSettings(world, person) {
    const { chain, patch } = newSettings(world.chance, person);
    const path = `/updateTradingSettings/${chain}`;
    const answer = await ask(world, person, "POST", path, patch);
    person.model.noteSettings(chain, patch, outcomeOf(answer));
    if (answer?.status === 200) {
      const stored = answer.json as Patch;
      for (const problem of person.model.problemsOfSettings(chain, onlySettings(stored)))
        world.report(`${person.id}, ${path}: ${problem}`);
    } else expectStatus(world, answer, path, [429]);
    return [answer?.status ?? 0];
  },
  /** Changes two different settings of one chain at once. Neither change may undo the other. */
  async changeTwiceAtOnce(world, person) {
    const { chain, patch } = newSettings(world.chance, person);
    const path = `/updateTradingSettings/${chain}`;
    const patches = [{ slippage: patch.slippage as number }, { autoSell: world.chance.number() < 0.5 }];
    const answers = await Promise.all(patches.map((each) => ask(world, person, "POST", path, each)));
    for (const [index, answer] of answers.entries()) {
      const own = patches[index] as Patch;
      person.model.noteSettings(chain, own, outcomeOf(answer));
      if (answer?.status !== 200) expectStatus(world, answer, path, [429]);
      else if (!isDeepStrictEqual({ ...(answer.json as Patch), ...own }, answer.json))
        world.report(`${person.id}, ${path}: the answer lacks the change`);
    }
    return answers.map((answer) => answer?.status ?? 0);
  },
  async changeSettingsBadly(world, person) {
    const { chain, patch } = newSettings(world.chance, person);
    const bad = world.chance.pick([
      { ...patch, slippage: 100.0001 },
      { ...patch, autoBuy: "yes" },
      { ...patch, stranger: 1 },
    ]);
    const answer = await ask(world, person, "POST", `/updateTradingSettings/${chain}`, bad);
    expectStatus(world, answer, "bad settings", [400, 429]);
    return [answer?.status ?? 0];
  },

  importWallet: (world, person) => importAtOnce(world, person, keyFor(world, person)),
  async importTwiceAtOnce(world, person) {
    const key = keyFor(world, person);
    // Imports one key twice, or two keys that need different slots.
    return importAtOnce(world, person, key, world.chance.number() < 0.5 ? key : keyFor(world, person));
  },
  async importBadly(world, person) {
    const { privateKey } = newPersonsKey(world, person, "eth");
    const body = world.chance.pick([
      { network: "sol", privateKey },
      { network: "eth", privateKey: privateKey.slice(0, -1) },
      { network: "btc", privateKey },
    ]);
    const answer = await ask(world, person, "POST", "/storeWallet_v2", body);
    expectStatus(world, answer, "a bad import", [400, 429]);
    return [answer?.status ?? 0];
  },

  async recordExecutions({ service, chance }, person) {
    const reports = Array.from({ length: 1 + chance.below(3) }, () => newExecution(chance, person));
    const outcomes = await service.record(reports.map(({ report }) => report));
    for (const [index, { id, version }] of reports.entries())
      person.model.noteExecution(id, version, outcomes[index] ?? "unknown");
    return [outcomes.includes("unknown") ? 0 : 200];
  },
  async operate({ service, chance }, person) {
    const values: ProfileValues = chance.pick([
      { xp: chance.below(10_000) },
      { points: chance.below(10_000) },
      { xp: chance.below(10_000), points: chance.below(10_000) },
      ...(chance.number() < 0.3 ? [{ tier: "Pro" as const }] : []),
    ]);
    const outcome = await service.changeUser(person.id, values);
    person.model.noteProfile(values, outcome);
    return [outcome === "unknown" ? 0 : 200];
  },
  async fidget({ chance }, person) {
    if (chance.number() < 0.5) person.follower?.fidget();
    return [];
  },
  async useBadToken(world, person) {
    const token = `${person.token.slice(0, -6)}AAAAAA`;
    const answer = await world.service.send({ token }, "GET", "/listWallets");
    expectStatus(world, answer, "a forged token", [401, 429]);
    return [answer?.status ?? 0];
  },
  async getLost(world, person) {
    const answer = await ask(world, person, "GET", "/nothing");
    expectStatus(world, answer, "an unknown path", [404]);
    return [answer?.status ?? 0];
  },
};

/** Allows any request to fail during faults, but no invalid one to succeed. */
function expectStatus({ report }: World, answer: Answer | undefined, what: string, statuses: number[]): void {
  if (answer === undefined || answer.status >= 500 || statuses.includes(answer.status)) return;
  report(`${what} was answered with ${answer.status}: ${answer.text.slice(0, 200)}`);
}

const outcomeOf = (answer: Answer | undefined): Outcome => {
  if (answer === undefined || answer.status >= 500) return "unknown";
  return answer.status < 300 ? "done" : "refused";
};

async function importAtOnce(world: World, person: Person, ...keys: Person["keys"]): Promise<number[]> {
  const answers = await Promise.all(
    keys.map(({ network, privateKey }) =>
      ask(world, person, "POST", "/storeWallet_v2", { network, privateKey }),
    ),
  );
  const { model, id } = person;
  for (const [index, key] of keys.entries()) model.noteImport(key, outcomeOf(answers[index]));
  if (answers.some((answer) => answer?.status === 403) && !model.isPerhapsFull())
    world.report(`${id} may hold more wallets, and was refused one`);
  for (const answer of answers) expectStatus(world, answer, "an import", [200, 403, 429]);
  return answers.map((answer) => answer?.status ?? 0);
}

function keyFor(world: World, person: Person): Person["keys"][number] {
  const { keys, model } = person;
  const enough = newKeys[model.isPro() ? "Pro" : "Base"];
  const isKnown = keys.length > 0 && (keys.length >= enough || world.chance.number() < 0.15);
  return isKnown ? world.chance.pick(keys) : newPersonsKey(world, person);
}

function newPersonsKey({ service, chance }: World, person: Person, network?: string) {
  const key = newKey(network ?? chance.pick([...evmNetworks, "sol"]));
  service.target.noteSecret([...formsOf(key), key.secret.toString("latin1")]);
  person.keys.push(key);
  return key;
}

function newSettings(chance: Chance, { index }: Person): { chain: string; patch: Patch } {
  const chain = chance.pick(["eth", "base", "sol"]);
  const slippage = slippageOf(index, chance.below(9), chance.below(9));
  const flags = { mevProtection: chance.number() < 0.5, autoBuy: chance.number() < 0.5 };
  return { chain, patch: chance.number() < 0.7 ? { slippage } : { slippage, ...flags } };
}

const settingNames = [
  "slippage",
  "gasPreset",
  "maxGasPrice",
  "priorityFee",
  "mevProtection",
  "autoBuy",
  "autoSell",
];

export const onlySettings = (record: Patch): Patch =>
  Object.fromEntries(Object.entries(record).filter(([name]) => settingNames.includes(name)));

export const walletsIn = (json: unknown): Wallet[] =>
  (json as { network: string; generatedWalletAddress: string }[]).map(
    ({ network, generatedWalletAddress }) => ({
      network,
      address: generatedWalletAddress,
    }),
  );

export function profileValuesIn(json: unknown): ProfileValues {
  const { tier, Xp } = json as { tier: "Base" | "Pro"; Xp: { total: number } };
  return { tier, xp: Xp.total };
}

export const rewardsIn = (json: unknown): { id: string; cost: number; userCanAfford: boolean }[] =>
  (json as { data: { rewards: { id: string; cost: number; userCanAfford: boolean }[] } }).data.rewards;

/** Orders and positions per user, each with many versions. */
const executionsPerUser = 12;

function newExecution(chance: Chance, { id: userID, versions }: Person) {
  const kind = chance.pick(["order", "position"] as const);
  const id = `${userID}-${kind}-${chance.below(executionsPerUser)}`;
  const version = (versions.get(id) ?? 0) + 1;
  versions.set(id, version);
  const execution =
    kind === "order" ? order({ orderId: id, version }) : position({ positionId: id, version });
  return { id, version, report: { kind, userID, ...execution } };
}
