import { describe, expect, it } from "vitest";
import { createModel, ownerOfSlippage, slippageOf } from "./model.ts";

const wallet = { network: "eth", address: "0xA" };

describe("the model of a user's wallets", () => {
  it("reports a missing wallet whose import was acknowledged", () => {
    const model = createModel();
    model.noteImport(wallet, "done");
    expect(model.problemsOfWallets([wallet])).toEqual([]);
    expect(model.problemsOfWallets([])).toEqual(["wallet eth 0xA was acknowledged and is missing"]);
  });

  it("reports a wallet that was refused or never imported", () => {
    const model = createModel();
    model.noteImport(wallet, "refused");
    const strange = { network: "sol", address: "B" };
    expect(model.problemsOfWallets([wallet, strange])).toEqual([
      "wallet eth 0xA was never accepted but exists",
      "wallet sol B was never accepted but exists",
    ]);
  });

  it("reports a wallet that is listed twice", () => {
    const model = createModel();
    model.noteImport(wallet, "done");
    expect(model.problemsOfWallets([wallet, wallet])).toEqual(["a wallet is listed twice"]);
  });

  it("allows a wallet of unknown outcome to exist or not until it is acknowledged", () => {
    const model = createModel();
    model.noteImport(wallet, "unknown");
    model.noteImport(wallet, "refused");
    expect([model.problemsOfWallets([]), model.problemsOfWallets([wallet])]).toEqual([[], []]);
    model.noteImport(wallet, "done");
    expect(model.problemsOfWallets([])).toHaveLength(1);
  });
});

describe("the model of a user's settings", () => {
  it("expects each setting's last confirmed value", () => {
    const model = createModel();
    model.noteSettings("eth", { slippage: 1.0101 }, "done");
    model.noteSettings("eth", { slippage: 1.0102 }, "done");
    model.noteSettings("eth", { slippage: 1.0103 }, "refused");
    expect(model.problemsOfSettings("eth", { slippage: 1.0102 })).toEqual([]);
    for (const slippage of [1, 1.0101, 1.0103])
      expect(model.problemsOfSettings("eth", { slippage })).toEqual([
        `setting slippage of eth is ${slippage} instead of 1.0102`,
      ]);
  });

  it("accepts any later value with an unknown outcome", () => {
    const model = createModel();
    model.noteSettings("sol", { autoBuy: true }, "done");
    model.noteSettings("sol", { autoBuy: false }, "unknown");
    for (const autoBuy of [true, false]) expect(model.problemsOfSettings("sol", { autoBuy })).toEqual([]);
  });

  it("reports another user's value in place of a default", () => {
    const model = createModel();
    model.noteSettings("eth", { slippage: 1.0101 }, "unknown");
    expect(model.problemsOfSettings("eth", { slippage: 1, gasPreset: "medium" })).toEqual([]);
    expect(model.problemsOfSettings("eth", { slippage: 2.0101 })).toEqual([
      "setting slippage of eth is 2.0101 instead of its default or 1.0101",
    ]);
    expect(model.problemsOfSettings("base", { slippage: 2.0101 })).toEqual([
      "setting slippage of base is 2.0101 instead of its default",
    ]);
  });
});

describe("ownerOfSlippage", () => {
  it("finds the user who owns a slippage", () => {
    for (const index of [0, 1, 28, 199, 8999])
      for (const last of [0, 8])
        expect(ownerOfSlippage(slippageOf(index, last, last)), `${index} ${last}`).toBe(index);
  });

  it("distinguishes users' slippages from defaults and other values", () => {
    expect([1, 0.5, 1.01, 100, true, "1.0101"].map(ownerOfSlippage)).toEqual(Array(6).fill(undefined));
  });
});

describe("the model of a user's profile", () => {
  it("expects the last confirmed profile value or a later one with an unknown outcome", () => {
    const model = createModel();
    expect(model.problemsOfProfile({ tier: "Base", points: 0, xp: 0 })).toEqual([]);
    model.noteProfile({ xp: 5, points: 100 }, "done");
    model.noteProfile({ xp: 7 }, "unknown");
    expect(model.problemsOfProfile({ xp: 7 })).toEqual([]);
    expect(model.problemsOfProfile({ xp: 0, points: 200 })).toEqual([
      "points is 200 instead of 100",
      "xp is 0 instead of 5 or 7",
    ]);
  });

  it("reports a reward shown as affordable beyond the user's points", () => {
    const model = createModel();
    model.noteProfile({ points: 100 }, "done");
    const rewards = (...affordable: boolean[]) =>
      affordable.map((userCanAfford, index) => ({ id: `r${index}`, cost: 100 + index, userCanAfford }));
    expect(model.problemsOfRewards(rewards(true, false))).toEqual([]);
    expect(model.problemsOfRewards(rewards(true, true))).toEqual(["can afford r0, r1 with 100 points"]);
  });

  it("limits wallets by every tier that the user may have", () => {
    const model = createModel();
    const wallets = Array.from({ length: 11 }, (_, index) => ({ network: "eth", address: `${index}` }));
    for (const wallet of wallets.slice(0, 9)) model.noteImport(wallet, "done");
    expect(model.isPerhapsFull()).toBe(false);
    for (const wallet of wallets.slice(9)) model.noteImport(wallet, "unknown");
    expect(model.isPerhapsFull()).toBe(true);
    expect(model.problemsOfWallets(wallets)).toEqual(["11 wallets are more than the tier allows"]);
    model.noteProfile({ tier: "Pro" }, "done");
    expect(model.isPerhapsFull()).toBe(false);
    expect(model.problemsOfWallets(wallets)).toEqual([]);
  });
});

describe("the model of a user's orders and positions", () => {
  it("accepts a record's last confirmed version and later ones with unknown outcomes", () => {
    const model = createModel();
    model.noteExecution("o", 1, "done");
    model.noteExecution("o", 2, "done");
    model.noteExecution("o", 3, "unknown");
    const problems = (version?: number) =>
      model.problemsOfExecutions(new Map(version === undefined ? [] : [["o", version]]));
    expect([problems(2), problems(3)]).toEqual([[], []]);
    expect(problems(1)).toEqual(["record o has version 1 instead of 2 or 3"]);
    expect(problems()).toEqual(["record o has version none instead of 2 or 3"]);
  });

  it("reports an order that was refused or never sent", () => {
    const model = createModel();
    model.noteExecution("o", 1, "refused");
    expect(model.problemsOfExecutions(new Map())).toEqual([]);
    expect(model.problemsOfExecutions(new Map([["o", 1]]))).toEqual([
      "record o has version 1 instead of none",
    ]);
    expect(model.problemsOfExecutions(new Map([["p", 1]]))).toEqual([
      "record p was never accepted but exists",
    ]);
  });
});
