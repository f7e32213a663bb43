import { describe, expect, it } from "vitest";
import type { Network } from "../../lib/core/network.ts";
import type { Preset } from "../../lib/orders/preset.ts";
import { openPolicy } from "../../lib/orders/wallet-policy.ts";
import { presetOf, savePreset } from "../../lib/trading/presets.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { itemsNamed } from "../support/items.ts";
import { putPolicy, putWallet } from "../support/placed-orders.ts";

const db = tableForTests();

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const preset: Preset = { wallet, buyAmount: "0.1", exits: [], maxBuyTax: 5, maxSellTax: 5 };

const save = (userID: string, changes: Partial<Preset> = {}, expected?: number[], chain: Network = "eth") =>
  savePreset(db.table, { userID, chain }, { ...preset, ...changes }, expected);
const read = (userID: string, chain: Network = "eth") => presetOf(db.table, { userID, chain });
const failed = (code: string, details?: object) =>
  expect.objectContaining({ code, ...(details && { details }) });

describe("savePreset", () => {
  it("keeps one preset for each user and chain, and replaces all of it", async () => {
    for (const chain of ["eth", "bsc"] as const) await putWallet(db.table, { chain, wallet }, "alice");
    await expect(read("alice")).rejects.toEqual(failed("NO_PRESET"));
    const given = { wallet: wallet.toLowerCase(), slippage: 3 };
    const first = {
      chain: "eth",
      version: 1,
      preset: { ...preset, slippage: 3 },
      warnings: ["NO_DAY_LIMIT"],
    };
    expect(await save("alice", given)).toEqual(first);
    expect(await read("alice")).toEqual(first);
    await expect(read("alice", "bsc")).rejects.toEqual(failed("NO_PRESET"));
    await expect(read("bob")).rejects.toEqual(failed("NO_PRESET"));
    await save("alice", { minLiquidity: "3" });
    const second = { chain: "eth", version: 2, preset: { ...preset, minLiquidity: "3" } };
    expect(await read("alice")).toMatchObject(second);
    expect((await read("alice")).preset).not.toHaveProperty("slippage");
    const { preset: onBsc } = await save("alice", { autoBuy: true }, undefined, "bsc");
    expect(onBsc).toEqual({ ...preset, autoBuy: true, autoSell: false });
  });

  it("refuses a wallet that the user lacks, has on another chain or has retired, and writes nothing", async () => {
    await putWallet(db.table, { chain: "base", wallet }, "carol");
    await putWallet(db.table, { chain: "bsc", wallet }, "carol", { retiredAt: "2026-11-21T09:00:00.000Z" });
    await putWallet(db.table, { chain: "eth", wallet }, "dave");
    for (const chain of ["eth", "bsc"] as const)
      await expect(save("carol", {}, undefined, chain)).rejects.toEqual(failed("WALLET_NOT_FOUND"));
    const ofSol = { wallet: "9uKPBoBGkfeVQXFnXcqtPksx3FmLxoDEsu2FskRovQWJ" };
    await expect(save("dave", ofSol)).rejects.toEqual(failed("INVALID_REQUEST", { field: "wallet" }));
    expect(await itemsNamed(db.table, "PRESETS#carol")).toEqual([]);
  });

  it("changes only the expected version", async () => {
    await putWallet(db.table, { chain: "eth", wallet }, "erin");
    await expect(save("erin", {}, [1])).rejects.toEqual(failed("PRECONDITION_FAILED"));
    expect(await save("erin", {}, [0])).toMatchObject({ version: 1 });
    await expect(save("erin", { slippage: 1 }, [0])).rejects.toEqual(failed("PRECONDITION_FAILED"));
    expect(await save("erin", { slippage: 2 }, [1])).toMatchObject({ version: 2 });
    expect(await read("erin")).toMatchObject({ version: 2, preset: { slippage: 2 } });
  });

  it("warns as long as the wallet's policy has no limit of a day", async () => {
    await putWallet(db.table, { chain: "eth", wallet }, "fay");
    await save("fay");
    const policy = { ...openPolicy, maxPerDay: 5n };
    await putPolicy(db.table, { userID: "fay", chain: "eth", wallet, policy, revision: 1 });
    expect(await read("fay")).toMatchObject({ warnings: [] });
    expect(await save("fay")).toMatchObject({ warnings: [] });
  });
});
