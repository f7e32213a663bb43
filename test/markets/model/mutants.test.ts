import { describe, expect, it } from "vitest";
import { playHistory } from "../evm/rules/model/history.ts";
import { theJournalSystem } from "../evm/rules/model/system.ts";
import { journalMutants, ruleMutants, tokenMutants, worldMutants } from "./mutants.ts";
import { playReaders } from "./play.ts";
import { playRules, theRuleSystem } from "./rule-histories.ts";
import { playToken, theTokenSystem } from "./token-history.ts";
import { virtualTimeForTests } from "./world.ts";

/** Maps mutants to the first history that catches them, if it is not an early one. Outdated entries only cost time. */
const caughtBy: Readonly<Record<string, number>> = {
  "trusts the first hash of each height": 5,
  "keeps minutes whose swaps were taken back": 3,
  "forgets what the run before has shown": 270,
  "does not raise the revision": 5,
  "follows the deepest pool at once": 2,
  "waits again after each measurement": 20,
  "lets a run write that another one has followed": 46,
  "repeats nothing, as if no message were lost": 3,
};

/** Plays histories until one fails. */
async function playAll(name: string, play: (seed: number) => Promise<void> | void): Promise<void> {
  const from = caughtBy[name] ?? 1;
  for (let seed = from; seed < from + 500; seed++) await play(seed);
}

const isCaught = /^History \d+: /;

describe("bugs that histories of a chain catch", () => {
  it.each(Object.entries(journalMutants))("catches a reader that %s", async (name, mutant) => {
    const system = { ...theJournalSystem, ...mutant };
    await expect(playAll(name, (seed) => playHistory(seed, new Map(), system))).rejects.toThrow(isCaught);
  });
});

describe("bugs caught by the histories of a token", () => {
  it.each(Object.entries(tokenMutants))("catches a market that %s", async (name, mutant) => {
    const system = { ...theTokenSystem, ...mutant };
    await expect(playAll(name, (seed) => playToken(seed, system))).rejects.toThrow(isCaught);
  });
});

describe("bugs that histories of rules catch", () => {
  it.each(Object.entries(ruleMutants))("catches code that %s", async (name, mutant) => {
    const system = { ...theRuleSystem, ...mutant };
    await expect(playAll(name, (seed) => playRules(seed, system))).rejects.toThrow(isCaught);
  });
});

describe("bugs that histories of runs catch", () => {
  virtualTimeForTests();

  it.each(Object.entries(worldMutants))("catches a table that %s", async (name, mutant) => {
    await expect(playAll(name, (seed) => playReaders(seed, new Map(), mutant))).rejects.toThrow(isCaught);
  });
});
