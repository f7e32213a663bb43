import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openNotes } from "../../../../lib/tools/dev/chains/chain-notes.ts";
import { openLocalChains } from "../../../../lib/tools/dev/chains/local-chains.ts";

it("the local chains start over with `reset`, and note that the table has to forget the old ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chains-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "chains"));
  writeFileSync(join(folder, "chains/eth.json"), "old");
  const notes = { newest: { eth: { number: 9, hash: "0x9" } }, processes: [], hasWallet: true };
  writeFileSync(join(folder, "chains.json"), JSON.stringify(notes));

  const kept = await openLocalChains({ port: 0, folder });
  expect(kept.book.notes).toEqual(notes);
  await kept[Symbol.asyncDispose]();
  expect(readdirSync(join(folder, "chains"))).toEqual(["eth.json"]);

  const fresh = await openLocalChains({ port: 0, folder, reset: true });
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  expect(readdirSync(join(folder, "chains"))).toEqual([]);
  expect(openNotes(folder).notes).toEqual({ ...notes, newest: {}, toForget: ["eth", "base", "bsc", "avax"] });
});
