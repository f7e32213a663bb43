import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { ed25519 } from "@noble/curves/ed25519.js";
import bs58 from "bs58";
import { openNotes } from "trading-terminal-devnet/chain-notes";
import { exampleSolWallet } from "trading-terminal-devnet/example-wallets";
import { describe, expect, it, onTestFinished } from "vitest";
import { readCatalogue } from "../../../lib/rewards/reward-records.ts";
import { seedTable, seedWallets } from "../../../lib/tools/runner/seed-data.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { newOrder, placing } from "../../support/placed-orders.ts";

describe("seedTable", () => {
  const db = tableForTests();

  it("loads examples into the table only on request", async () => {
    await seedTable(db, { book: undefined, examples: false });
    expect(await itemsNamed(db.table, "")).toEqual([]);
    await seedTable(db, { book: undefined, examples: true });
    expect((await readCatalogue(db.table)).length).toBeGreaterThan(0);
  });

  it("deletes old orders only at the first start after a reset of the chains", async () => {
    const book = openNotes(undefined);
    const examples = false;
    await writeStep(db.table, placing(newOrder()));
    await seedTable(db, { book, examples });
    expect(await itemsNamed(db.table, "ORDER#")).toHaveLength(1);
    book.notes.toForget = ["eth"];
    await seedTable(db, { book, examples });
    expect(await itemsNamed(db.table, "ORDER#")).toEqual([]);
    expect(book.notes).not.toHaveProperty("toForget");
  });
});

describe("seedWallets", () => {
  /** Fakes a service that answers imports with `status` and records the requests. */
  async function serving(status: number) {
    const asked: unknown[] = [];
    const server = createServer(async (request, response) => {
      asked.push([request.method, request.url, request.headers.authorization, await json(request)]);
      response.writeHead(status).end('{"message":"No"}');
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "t" };
  }

  it("imports the wallet of anvil's first account on all EVM chains only once", async () => {
    const book = openNotes(undefined);
    const service = await serving(200);
    expect(await seedWallets(book, service, false)).toBeUndefined();
    const privateKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const imports = ["eth", "base", "bsc", "avax"].map((network) => ({ network, privateKey }));
    expect(service.asked).toEqual(imports.map((body) => ["POST", "/storeWallet_v2", "Bearer t", body]));
    await seedWallets(book, service, false);
    expect(service.asked).toHaveLength(4);
  });

  it("imports the Solana wallet once its chain runs", async () => {
    const book = openNotes(undefined);
    const service = await serving(200);
    await seedWallets(book, service, false);
    await seedWallets(book, service, true);
    await seedWallets(book, service, true);
    expect(service.asked.slice(4)).toEqual([
      ["POST", "/storeWallet_v2", "Bearer t", { network: "sol", privateKey: exampleSolWallet.privateKey }],
    ]);
    const seed = bs58.decode(exampleSolWallet.privateKey).slice(0, 32);
    expect(bs58.encode(ed25519.getPublicKey(seed))).toBe(exampleSolWallet.address);
  });

  it("explains a failed import and retries it at the next start", async () => {
    const book = openNotes(undefined);
    const service = await serving(403);
    const complaint = 'An example wallet was not imported: {"message":"No"}';
    expect(await seedWallets(book, service, false)).toBe(complaint);
    expect(await seedWallets(book, service, false)).toBe(complaint);
    expect(service.asked).toHaveLength(2);
  });
});
