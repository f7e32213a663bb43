import { describe, expect, it } from "vitest";
import { sampled } from "../../cases/sample.ts";
import { goodSettings } from "../../cases/settings.ts";
import { expectMessage } from "../support/expectations.ts";
import { settingsRecords } from "../support/shapes.ts";
import { changeSettings, profileOf, type Settings, settingsAfter } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

const chains = ["eth", "base", "sol"] as const;

/** Changes every setting to a value other than its default. */
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

describe.each(chains)("the settings of %s", (chain) => {
  const values = sampled(goodSettings.filter((change) => change.chain === chain));

  it.each(values)("accept $title", async ({ body }) => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, body);

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject({ userID: user.id, ...body });
  });

  it("start with defaults, which the profile shows before the first change", async () => {
    const user = await newUser();
    const shown = (await profileOf(user)).tradingSettings[nameIn[chain]];

    const record = await settingsAfter(user, chain, {});

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject(shown);
  });

  it("are created by a change of one value, with defaults for the others", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const defaults = valuesOf(await settingsAfter(other, chain, {}));

    const record = await settingsAfter(user, chain, { slippage: 9 });

    expect(valuesOf(record)).toStrictEqual({ ...defaults, slippage: 9 });
  });

  it("change together", async () => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, everything[chain]);

    expect(valuesOf(record)).toStrictEqual(everything[chain]);
  });

  it("keep values that a change leaves out", async () => {
    const user = await newUser();
    await settingsAfter(user, chain, everything[chain]);

    const afterOne = await settingsAfter(user, chain, { autoBuy: false });
    const afterTwo = await settingsAfter(user, chain, { slippage: 7 });
    const afterNone = await settingsAfter(user, chain, {});

    expect(valuesOf(afterOne)).toStrictEqual({ ...everything[chain], autoBuy: false });
    expect(valuesOf(afterTwo)).toStrictEqual({ ...everything[chain], autoBuy: false, slippage: 7 });
    expect(valuesOf(afterNone)).toStrictEqual(valuesOf(afterTwo));
  });

  it("keep their id and time of creation, and update the time of change", async () => {
    const user = await newUser();
    const first = await settingsAfter(user, chain, { slippage: 1 });

    const second = await settingsAfter(user, chain, { slippage: 2 });

    expect(second).toMatchObject({ _id: first._id, userID: user.id, createdAt: first.createdAt });
    expect(Date.parse(second.updatedAt as string)).toBeGreaterThanOrEqual(
      Date.parse(first.updatedAt as string),
    );
    expect(Math.abs(Date.parse(first.createdAt as string) - Date.now())).toBeLessThan(60_000);
  });

  it("of one user do not affect those of another", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const before = (await profileOf(other)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    expect((await profileOf(other)).tradingSettings).toStrictEqual(before);
  });

  it("do not affect those of other chains", async () => {
    const user = await newUser();
    const before = (await profileOf(user)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    const after = (await profileOf(user)).tradingSettings;
    for (const other of chains.filter((each) => each !== chain))
      expect(after[nameIn[other]]).toStrictEqual(before[nameIn[other]]);
  });

  it("can be changed after a refused change", async () => {
    const user = await newUser();
    expectMessage(await changeSettings(user, chain, { slippage: 0 }), 400);

    expect(await settingsAfter(user, chain, { slippage: 5 })).toMatchObject({ slippage: 5 });
  });
});

it("the profile shows the settings of all chains, but of Solana only slippage and priority fee", async () => {
  const user = await newUser();
  for (const chain of chains) await settingsAfter(user, chain, everything[chain]);

  const { tradingSettings } = await profileOf(user);

  expect(tradingSettings).toStrictEqual({
    ethereum: everything.eth,
    solana: { slippage: everything.sol.slippage, priorityFee: everything.sol.priorityFee },
    base: everything.base,
  });
});

it("the settings of each chain have their own record", async () => {
  const user = await newUser();

  const records = await Promise.all(chains.map(async (chain) => settingsAfter(user, chain, {})));

  expect(new Set(records.map(({ _id }) => _id)).size).toBe(3);
});

function valuesOf(record: Settings): Settings {
  const { _id, userID, createdAt, updatedAt, ...values } = record;
  return values;
}
