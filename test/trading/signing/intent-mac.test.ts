import { GenerateMacCommand, KMSClient } from "@aws-sdk/client-kms";
import { describe, expect, it } from "vitest";
import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { Network } from "../../../lib/core/network.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import { packed, unpacked } from "../../../lib/trading/items/items.ts";
import { macsOf, mandateHash, openMacs } from "../../../lib/trading/signing/intent-mac.ts";
import { intentOf, route } from "../../chains/sol/fixtures.ts";
import { child, mandate } from "../../orders/resting/fixtures.ts";
import { openKms } from "../../support/kms.ts";
import { intent } from "../../support/trading.ts";

const { kms, config } = openKms();
const keyNamed = (name: string) => kms.ensureKey(name, "HMAC_256").arn;
const macs = openMacs(keyNamed("intents"), "table", config);

/** Reverses the fields of all objects in a value. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [name, turned(part)])
      .toReversed(),
  );
}

describe("MACs of intents", () => {
  it("verifies an intent as read from the table, with its fields in a different order", async () => {
    const mac = await macs.makeMac(intent());
    const stored = JSON.parse(JSON.stringify(packed(intent())));
    const reversed = turned(unpacked(stored)) as EvmIntent;
    expect(JSON.stringify(reversed.routes)).not.toBe(JSON.stringify(intent().routes));
    expect(await macs.checkMac(reversed, mac)).toBe(true);
  });

  const others: { [Name in keyof Required<EvmIntent>]: EvmIntent[Name] } = {
    chain: "base",
    wallet: "0xF39f",
    orderId: "01KAMZ3Q5T9WJ2M4N6P8R0S1V4",
    userID: "bob",
    side: "sell",
    token: "0xBAD",
    amount: intent().amount + 1n,
    minAmountOut: intent().minAmountOut - 1n,
    quotedOut: intent().quotedOut - 1n,
    routes: intent().routes.toReversed(),
    gasLimit: intent().gasLimit + 1n,
    approvalGas: 1n,
    maxGasPrice: intent().maxGasPrice + 1n,
    gasPreset: "turbo",
    isPrivate: false,
    nextNonce: intent().nextNonce + 1,
    createdAt: Number(intent().createdAt) + 1,
    validUntil: intent().validUntil + 1,
    parent: child().parent,
    by: "pk_another",
  };

  it.each(Object.entries(others))("rejects an intent whose %s differs", async (name, value) => {
    const mac = await macs.makeMac(intent());
    expect(await macs.checkMac({ ...intent(), [name]: value }, mac)).toBe(false);
  });

  const sol = intentOf({ routes: [route, { ...route, pool: "another pool" }] });
  const othersOfSol: { [Name in keyof Required<SolIntent>]: SolIntent[Name] | Network } = {
    chain: "eth",
    wallet: "A2",
    orderId: "order2",
    userID: "bob",
    side: "sell",
    token: "moon",
    amount: sol.amount + 1n,
    minAmountOut: sol.minAmountOut - 1n,
    quotedOut: sol.quotedOut - 1n,
    isPrivate: true,
    createdAt: Number(sol.createdAt) + 1,
    validUntil: sol.validUntil + 1,
    tokenProgram: "Token-2022",
    attempts: 9,
    routes: sol.routes.toReversed(),
    budgetLamports: sol.budgetLamports + 1n,
    parent: child().parent,
    by: "pk_another",
  };

  const changesOfSol: readonly [string, unknown][] = [
    ...Object.entries(othersOfSol),
    ["routes", [route]],
    ...Object.keys(route).map((name): [string, unknown] => [
      "routes",
      [{ ...route, [name]: "x" }, sol.routes[1]],
    ]),
  ];

  it.each(changesOfSol)("rejects an intent on sol whose %s differs, %#", async (name, value) => {
    const mac = await macs.makeMac(sol);
    expect(await macs.checkMac(sol, mac)).toBe(true);
    expect(await macs.checkMac({ ...sol, [name]: value } as SolIntent, mac)).toBe(false);
  });

  it("rejects an intent with a missing field, an extra field, or an amount of another type", async () => {
    const mac = await macs.makeMac(intent());
    const { isPrivate: _, ...less } = intent();
    const changed = [
      less,
      { ...intent(), more: 1 },
      { ...intent(), amount: String(intent().amount) },
      { ...intent(), amount: { bigint: intent().amount } },
    ];
    for (const other of changed) expect(await macs.checkMac(other as EvmIntent, mac)).toBe(false);
  });

  it("rejects a MAC with a changed bit or in a different encoding", async () => {
    const mac = await macs.makeMac(intent());
    const bytes = Buffer.from(mac, "base64");
    for (let bit = 0; bit < bytes.length * 8; bit += 5) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await macs.checkMac(intent(), damaged.toString("base64"))).toBe(false);
    }
    for (const other of ["", "mac", ` ${mac}`, mac.slice(0, -4), mac + mac, mac.replace("=", "")])
      expect(await macs.checkMac(intent(), other)).toBe(false);
  });

  it("rejects a MAC made with a different key", async () => {
    const mac = await macs.makeMac(intent());
    expect(await openMacs(keyNamed("others"), "table", config).checkMac(intent(), mac)).toBe(false);
  });

  it("rejects an intent whose messages would use an empty account as marker", async () => {
    const client = new KMSClient(config);
    const asBefore = {
      send({ input }: GenerateMacCommand) {
        const text = Buffer.from(input.Message ?? []).toString();
        const Message = Buffer.from(text.replace("/intent/3", "/intent/2"));
        return client.send(new GenerateMacCommand({ ...input, Message }));
      },
    };
    const mac = await macsOf(asBefore as unknown as KMSClient, keyNamed("intents"), "table").makeMac(sol);
    expect(await macs.checkMac(sol, mac)).toBe(false);
  });

  it("keeps the text over which MACs are computed, because another one voids open orders", async () => {
    let text = "";
    const client = {
      async send({ input }: GenerateMacCommand) {
        text = Buffer.from(input.Message ?? []).toString();
        return { Mac: Buffer.alloc(32) };
      },
    };
    await macsOf(client as unknown as KMSClient, "key", "table").makeMac(intentOf());
    expect(text).toBe(
      '["trading-terminal/intent/3","table",{"amount":{"bigint":"1000000"},"budgetLamports":{"bigint":"100000"},' +
        '"chain":"sol","createdAt":1795291200000,"isPrivate":false,"minAmountOut":{"bigint":"80"},"orderId":"order1",' +
        '"quotedOut":{"bigint":"100"},"routes":[{"config":"config","pool":"pool","venue":"raydium-cpmm"}],' +
        '"side":"buy","token":"MOON","tokenProgram":"Token","userID":"alice","validUntil":1795291260,"wallet":"A1"}]',
    );
  });

  it("rejects intents from a different table", async () => {
    const mac = await macs.makeMac(intent());
    expect(await openMacs(keyNamed("intents"), "restored", config).checkMac(intent(), mac)).toBe(false);
  });

  it("throws instead of rejecting an intent if KMS does not respond", async () => {
    const mac = await macs.makeMac(intent());
    const away = openMacs("arn:aws:kms:us-east-1:000000000000:key/gone", "table", config);
    await expect(away.checkMac(intent(), mac)).rejects.toThrow();
  });
});

describe("MACs of mandates and children", () => {
  const terms = { ...intent(), parent: child().parent };

  it("verifies a mandate as read from the table", async () => {
    const mac = await macs.makeMandateMac(mandate());
    const stored = JSON.parse(JSON.stringify(packed(mandate())));
    expect(await macs.checkMandateMac(turned(unpacked(stored)) as Mandate, mac)).toBe(true);
  });

  it.each<[string, Partial<Mandate>]>([
    ["amount", { amount: 1001n }],
    ["legs", { legs: mandate().legs.toReversed() }],
    ["price", { legs: [{ kind: "limit", price: { coins: 2n, tokens: 3n } }] }],
    ["slippage", { slippagePpm: 1n }],
    ["time", { createdAt: mandate().createdAt + 1 }],
    ["expiry", { expiresAt: mandate().expiresAt + 1 }],
    ["fees", { feesStop: 501n }],
  ])("rejects a mandate with another %s, and gives it another hash", async (_, changes) => {
    const mac = await macs.makeMandateMac(mandate());
    expect(await macs.checkMandateMac(mandate(changes), mac)).toBe(false);
    expect(mandateHash(mandate(changes))).not.toBe(mandateHash(mandate()));
  });

  it("rejects a child of another mandate", async () => {
    const mac = await macs.makeChildMac(terms);
    expect(await macs.checkChildMac(terms, mac)).toBe(true);
    const parent = { ...terms.parent, mandate: "cd".repeat(32) };
    expect(await macs.checkChildMac({ ...terms, parent }, mac)).toBe(false);
  });

  it("rejects a MAC made for another purpose with the same key", async () => {
    const ofMandate = await macs.makeMandateMac(mandate());
    const asOrder = await macs.makeMac(terms);
    const asChild = await macs.makeChildMac(terms);
    expect(await macs.checkChildMac(terms, asOrder)).toBe(false);
    expect(await macs.checkMac(terms, asChild)).toBe(false);
    expect(await macs.checkChildMac(mandate() as never, ofMandate)).toBe(false);
  });

  it("rejects mandates and children from a different table", async () => {
    const restored = openMacs(keyNamed("intents"), "restored", config);
    expect(await restored.checkMandateMac(mandate(), await macs.makeMandateMac(mandate()))).toBe(false);
    expect(await restored.checkChildMac(terms, await macs.makeChildMac(terms))).toBe(false);
  });

  it("keeps the text of mandates, because another one voids all that rests", async () => {
    let text = "";
    const client = {
      async send({ input }: GenerateMacCommand) {
        text = Buffer.from(input.Message ?? []).toString();
        return { Mac: Buffer.alloc(32) };
      },
    };
    await macsOf(client as unknown as KMSClient, "key", "table").makeMandateMac(mandate());
    expect(text).toMatch(
      /^\["trading-terminal\/mandate\/1","table",{"amount":{"bigint":"1000"},"chain":"base",/,
    );
    expect(mandateHash(mandate())).toBe("dd43e0a6d24af89a80b8ee066afc7f377b82d5caa51e4ea98c971a2b9743d147");
  });
});
