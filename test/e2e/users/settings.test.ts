import { describe, expect, test } from "vitest";
import { sendRaw } from "../support/client.ts";
import { expectMessage } from "../support/expectations.ts";
import { settingsRecords } from "../support/shapes.ts";
import { changeSettings, profileOf, type Settings, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const chains = ["eth", "base", "sol"] as const;

const common: [name: string, value: unknown][] = [
  ["slippage", 0.5],
  ["slippage", 12.75],
  ["slippage", 100],
  ["slippage", 0.01],
  ["mevProtection", false],
  ["mevProtection", true],
  ["autoBuy", true],
  ["autoBuy", false],
  ["autoSell", true],
  ["autoSell", false],
];

const evm: [name: string, value: unknown][] = [
  ...common,
  ["gasPreset", "slow"],
  ["gasPreset", "medium"],
  ["gasPreset", "fast"],
  ["gasPreset", "turbo"],
  ["maxGasPrice", 25],
  ["maxGasPrice", 0.05],
  ["maxGasPrice", 12_345.678],
];

const solana: [name: string, value: unknown][] = [
  ...common,
  ["priorityFee", 0],
  ["priorityFee", 0.000005],
  ["priorityFee", 1.5],
];

const allOf = { eth: evm, base: evm, sol: solana };

/** One change of everything, to what no default is. */
const everything = {
  eth: {
    slippage: 2.5,
    gasPreset: "turbo",
    maxGasPrice: 33,
    mevProtection: false,
    autoBuy: true,
    autoSell: true,
  },
  base: {
    slippage: 3.5,
    gasPreset: "slow",
    maxGasPrice: 0.5,
    mevProtection: false,
    autoBuy: true,
    autoSell: true,
  },
  sol: { slippage: 4.5, priorityFee: 0.25, mevProtection: false, autoBuy: true, autoSell: true },
};

const nameIn = { eth: "ethereum", base: "base", sol: "solana" } as const;

describe.each(chains)("The settings of %s", (chain) => {
  test.each(allOf[chain])("take %s: %j", async (name, value) => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, { [name]: value });

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject({ userID: user.id, [name]: value });
  });

  test("begin with defaults, of which the profile knows before the first change", async () => {
    const user = await newUser();
    const shown = (await profileOf(user)).tradingSettings[nameIn[chain]];

    const record = await settingsAfter(user, chain, {});

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject(shown);
  });

  test("are made by a change of one, with the defaults for the others", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const defaults = valuesOf(await settingsAfter(other, chain, {}));

    const record = await settingsAfter(user, chain, { slippage: 9 });

    expect(valuesOf(record)).toStrictEqual({ ...defaults, slippage: 9 });
  });

  test("change together", async () => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, everything[chain]);

    expect(valuesOf(record)).toStrictEqual(everything[chain]);
  });

  test("stay as they were where a change does not name them", async () => {
    const user = await newUser();
    await settingsAfter(user, chain, everything[chain]);

    const afterOne = await settingsAfter(user, chain, { autoBuy: false });
    const afterTwo = await settingsAfter(user, chain, { slippage: 7 });
    const afterNone = await settingsAfter(user, chain, {});

    expect(valuesOf(afterOne)).toStrictEqual({ ...everything[chain], autoBuy: false });
    expect(valuesOf(afterTwo)).toStrictEqual({ ...everything[chain], autoBuy: false, slippage: 7 });
    expect(valuesOf(afterNone)).toStrictEqual(valuesOf(afterTwo));
  });

  test("keep their id and the time they were made, and note when they changed", async () => {
    const user = await newUser();
    const first = await settingsAfter(user, chain, { slippage: 1 });

    const second = await settingsAfter(user, chain, { slippage: 2 });

    expect(second).toMatchObject({ _id: first._id, userID: user.id, createdAt: first.createdAt });
    expect(Date.parse(second.updatedAt as string)).toBeGreaterThanOrEqual(
      Date.parse(first.updatedAt as string),
    );
    expect(Math.abs(Date.parse(first.createdAt as string) - Date.now())).toBeLessThan(60_000);
  });

  test("of one user leave those of another alone", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const before = (await profileOf(other)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    expect((await profileOf(other)).tradingSettings).toStrictEqual(before);
  });

  test("leave those of the other chains alone", async () => {
    const user = await newUser();
    const before = (await profileOf(user)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    const after = (await profileOf(user)).tradingSettings;
    for (const other of chains.filter((each) => each !== chain))
      expect(after[nameIn[other]]).toStrictEqual(before[nameIn[other]]);
  });

  test("of which the last counts when one is given twice, as JSON has it", async () => {
    const user = await newUser();

    const answer = await sendRaw(
      "POST",
      `/updateTradingSettings/${chain}`,
      [
        ["Authorization", `Bearer ${user.token}`],
        ["Content-Type", "application/json"],
      ],
      '{"slippage":"bad","slippage":6}',
    );

    expect(answer.json).toMatchObject({ slippage: 6 });
  });

  test("can be changed again after a change that was refused", async () => {
    const user = await newUser();
    expectMessage(await changeSettings(user, chain, { slippage: 0 }), 400);

    expect(await settingsAfter(user, chain, { slippage: 5 })).toMatchObject({ slippage: 5 });
  });
});

test("the profile shows the settings of all chains, of Solana slippage and priority fee only", async () => {
  const user = await newUser();
  for (const chain of chains) await settingsAfter(user, chain, everything[chain]);

  const { tradingSettings } = await profileOf(user);

  expect(tradingSettings).toStrictEqual({
    ethereum: everything.eth,
    solana: { slippage: everything.sol.slippage, priorityFee: everything.sol.priorityFee },
    base: everything.base,
  });
});

test("each chain's settings are a record of their own", async () => {
  const user = await newUser();

  const records = await Promise.all(chains.map(async (chain) => settingsAfter(user, chain, {})));

  expect(new Set(records.map(({ _id }) => _id)).size).toBe(3);
});

function valuesOf(record: Settings): Settings {
  const { _id, userID, createdAt, updatedAt, ...values } = record;
  return values;
}
