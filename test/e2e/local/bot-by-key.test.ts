import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTerminal, type Terminal } from "trading-terminal-client";
import { createTerminal as createKeyed, makeProgramKey, type ProgramKey } from "trading-terminal-client/key";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killBots, startAndKillBot, startBot } from "../../support/documented-bot.ts";
import { newEvmKey } from "../../support/keys.ts";
import { deployment } from "../support/deployment.ts";
import { fund, movedTokens } from "../support/eth.ts";
import { importWallet } from "../support/terminal.ts";
import { knownUser, type User } from "../support/users.ts";

const { moon } = localAddresses;
const { address: wallet, privateKey } = newEvmKey();
const folder = mkdtempSync(join(tmpdir(), "bot-"));
const keyFile = join(folder, "key.json");
let user: User;
let owner: Terminal;

/** Registers a key as docs/clients.md shows, and gives it to the bot. */
async function giveKey(): Promise<ProgramKey> {
  const { publicKey, privateKey } = await makeProgramKey();
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: "bot", publicKey, scopes: ["read", "trade"] as ("read" | "trade")[], expiresAt };
  const { data, error } = await owner.createKey({ body });
  if (error) throw new Error(error.message);
  const key = { userID: user.id, keyId: data.key.keyId, privateKey };
  writeFileSync(keyFile, JSON.stringify(key));
  return key;
}

beforeAll(async () => {
  user = await knownUser();
  owner = createTerminal({ baseUrl: deployment().baseUrl, token: async () => user.token });
  await importWallet(user, { network: "eth", privateKey });
  await fund(wallet);
});

afterAll(() => {
  killBots();
  rmSync(folder, { recursive: true });
});

describe("the documented bot with a program's key", () => {
  it("buys and sells once on chain, killed at any time, and continues with another key", async () => {
    const { baseUrl } = deployment();
    const terms = { baseUrl, keyFile, name: "e2e-key", wallet, moon };
    const key = await giveKey();
    for (let kills = 0; kills < 4; kills++) await startAndKillBot(terms);
    expect(await startBot(terms).ends).toMatchObject({ code: 0, printed: expect.stringContaining("sold") });
    const { data } = await owner.listOrders({ query: { wallet } });
    expect(data?.orders.map(({ side, status }) => [side, status])).toEqual([
      ["sell", "filled"],
      ["buy", "filled"],
    ]);
    expect(await movedTokens(moon, wallet)).toEqual({ received: 1, sent: 1 });

    await owner.deleteKey({ path: { keyId: key.keyId } });
    const { error } = await createKeyed({ baseUrl, key }).listOrders();
    expect(error).toMatchObject({ status: 401, code: "KEY_REFUSED" });
    const { ends, printed } = startBot(terms);
    await expect.poll(printed, { timeout: 30_000 }).toContain("waiting for another key");
    await giveKey();
    expect(await ends).toMatchObject({ code: 0, printed: expect.stringContaining("sold") });
    expect(await movedTokens(moon, wallet)).toEqual({ received: 1, sent: 1 });
  });
});
