import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { chainNames } from "../chain-facts.ts";
import { openNotes } from "../chain-notes.ts";
import { freePorts } from "../free-ports.ts";
import { chainPorts, openLocalChains, portsOf } from "../local-chains.ts";

it("starts new chains with `reset`, and notes that the service's table must forget the old ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chains-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "chains"));
  writeFileSync(join(folder, "chains/eth.json"), "old");
  const notes = { newest: { eth: { number: 9, hash: "0x9" } }, processes: [], hasWallet: true };
  writeFileSync(join(folder, "chains.json"), JSON.stringify(notes));

  // The chain sol stores no state, so it starts over each time.
  const kept = await openLocalChains({ port: 0, folder });
  expect(kept.book.notes).toEqual({ ...notes, toForget: ["sol"] });
  await kept[Symbol.asyncDispose]();
  expect(readdirSync(join(folder, "chains"))).toEqual(["eth.json"]);

  const fresh = await openLocalChains({ port: 0, folder, reset: true });
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  expect(readdirSync(join(folder, "chains"))).toEqual([]);
  const toForget = ["eth", "base", "bsc", "avax"];
  expect(fresh.book.notes).toEqual({ ...notes, newest: {}, toForget: [...toForget, "sol"] });
  // Expects the note in the file, where it survives a crash.
  expect(openNotes(folder).notes).toMatchObject({ newest: {}, toForget });
});

it("gives each local chain its own ports", () => {
  const all = chainNames.map((chain) => portsOf(chain, 8545));
  expect(all.map(({ node }) => node)).toEqual([8545, 8546, 8547, 8548, 8549]);
  expect(all.map(({ secondHost }) => secondHost)).toEqual([8550, 8551, 8552, 8553, 8554]);
  expect(all.map(({ relay }) => relay)).toEqual([8555, undefined, 8556, undefined, 8557]);
  expect(all.map(({ firstHost }) => firstHost)).toEqual([8558, 8559, 8560, 8561, 8562]);
  expect(all.map(({ jupiter }) => jupiter)).toEqual([undefined, undefined, undefined, undefined, 8563]);
  expect(chainPorts).toBe(19);
});

it("gives the stacks the same addresses in every run, so that they can be reused", async () => {
  const port = await freePorts(chainPorts);
  const contexts: object[] = [];
  for (let run = 0; run < 2; run++) {
    await using chains = await openLocalChains({ port, folder: undefined });
    contexts.push(chains.context);
  }
  expect(contexts[0]).toEqual(contexts[1]);
});

it("runs without the chain sol if Surfpool has no package for the machine", async () => {
  const { arch } = process;
  Object.defineProperty(process, "arch", { value: "s390x" });
  onTestFinished(() => void Object.defineProperty(process, "arch", { value: arch }));
  const lines: string[] = [];
  const opened = await openLocalChains({
    port: 0,
    folder: undefined,
    warn: (line) => void lines.push(line),
  });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  expect(opened.sol).toBeUndefined();
  expect(opened.chains).toHaveLength(4);
  expect(lines).toEqual([
    `The chain sol does not run: the package @solana/surfpool-${process.platform}-s390x${
      process.platform === "linux" ? "-gnu" : ""
    } does not exist, or is not installed.`,
  ]);
});
