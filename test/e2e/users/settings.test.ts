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

  it.each(values)("accepts $title", async ({ body }) => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, body);

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject({ userID: user.id, ...body });
  });

  it("starts with default settings, which the profile shows before the first change", async () => {
    const user = await newUser();
    const shown = (await profileOf(user)).tradingSettings[nameIn[chain]];

    const record = await settingsAfter(user, chain, {});

    expect(record).toStrictEqual(settingsRecords[chain]);
    expect(record).toMatchObject(shown);
  });

  it("creates settings from a change of one value, with defaults for the rest", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const defaults = valuesOf(await settingsAfter(other, chain, {}));

    const record = await settingsAfter(user, chain, { slippage: 9 });

    expect(valuesOf(record)).toStrictEqual({ ...defaults, slippage: 9 });
  });

  it("changes several settings together", async () => {
    const user = await newUser();

    const record = await settingsAfter(user, chain, everything[chain]);

    expect(valuesOf(record)).toStrictEqual(everything[chain]);
  });

  it("keeps settings that a change leaves out", async () => {
    const user = await newUser();
    await settingsAfter(user, chain, everything[chain]);

    const afterOne = await settingsAfter(user, chain, { autoBuy: false });
    const afterTwo = await settingsAfter(user, chain, { slippage: 7 });
    const afterNone = await settingsAfter(user, chain, {});

    expect(valuesOf(afterOne)).toStrictEqual({ ...everything[chain], autoBuy: false });
    expect(valuesOf(afterTwo)).toStrictEqual({ ...everything[chain], autoBuy: false, slippage: 7 });
    expect(valuesOf(afterNone)).toStrictEqual(valuesOf(afterTwo));
  });

  it("keeps the settings' id and creation time, and updates their modification time", async () => {
    const user = await newUser();
    const first = await settingsAfter(user, chain, { slippage: 1 });

    const second = await settingsAfter(user, chain, { slippage: 2 });

    expect(second).toMatchObject({ _id: first._id, userID: user.id, createdAt: first.createdAt });
    expect(Date.parse(second.updatedAt as string)).toBeGreaterThanOrEqual(
      Date.parse(first.updatedAt as string),
    );
    expect(Math.abs(Date.parse(first.createdAt as string) - Date.now())).toBeLessThan(60_000);
  });

  it("leaves other users' settings alone", async () => {
    const [user, other] = [await newUser(), await newUser()];
    const before = (await profileOf(other)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    expect((await profileOf(other)).tradingSettings).toStrictEqual(before);
  });

  it("leaves the settings of other chains alone", async () => {
    const user = await newUser();
    const before = (await profileOf(user)).tradingSettings;

    await settingsAfter(user, chain, everything[chain]);

    const after = (await profileOf(user)).tradingSettings;
    for (const other of chains.filter((each) => each !== chain))
      expect(after[nameIn[other]]).toStrictEqual(before[nameIn[other]]);
  });

  it("accepts a change after a refused one", async () => {
    const user = await newUser();
    expectMessage(await changeSettings(user, chain, { slippage: 0 }), 400);

    expect(await settingsAfter(user, chain, { slippage: 5 })).toMatchObject({ slippage: 5 });
  });
});

it("shows settings of all chains in the profile, but only slippage and priority fee of Solana", async () => {
  const user = await newUser();
  for (const chain of chains) await settingsAfter(user, chain, everything[chain]);

  const { tradingSettings } = await profileOf(user);

  expect(tradingSettings).toStrictEqual({
    ethereum: everything.eth,
    solana: { slippage: everything.sol.slippage, priorityFee: everything.sol.priorityFee },
    base: everything.base,
  });
});

it("stores a separate record for each chain's settings", async () => {
  const user = await newUser();

  const records = await Promise.all(chains.map(async (chain) => settingsAfter(user, chain, {})));

  expect(new Set(records.map(({ _id }) => _id)).size).toBe(3);
});

function valuesOf(record: Settings): Settings {
  const { _id, userID, createdAt, updatedAt, ...values } = record;
  return values;
}
