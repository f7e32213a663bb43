import { describe, expect, test } from "vitest";
import { type Answer, sendRaw } from "../support/client.ts";
import { expectError, expectMessage, expectNoTraceOf, expectRefusal } from "../support/expectations.ts";
import { newEvmKey } from "../../support/keys.ts";
import { changeSettings, keeping } from "../support/terminal.ts";
import { someUser, twoUsers, type User } from "../support/users.ts";

const numbersOutOf = (...values: unknown[]) => [...values, "1", "", null, true, [1], { value: 1 }];
const notFlags = ["true", "false", "", 0, 1, null, [], {}, [true]];
const notPresets = [
  "",
  "FAST",
  "Fast",
  " fast",
  "fastest",
  "custom",
  "__proto__",
  0,
  1,
  null,
  true,
  ["fast"],
  {},
];

type Bad = [name: string, value: unknown][];

const each = (name: string, values: unknown[]): Bad => values.map((value) => [name, value]);

/** The rules do not differ from chain to chain, only what there is; so one chain is asked everything. */
const bad: Record<string, Bad> = {
  eth: [
    ...each("slippage", numbersOutOf(0, -1, 100.01, 101, 1e21, 1e308)),
    ...each("maxGasPrice", numbersOutOf(0, -1, -0.5)),
    ...each("gasPreset", notPresets),
    ...["mevProtection", "autoBuy", "autoSell"].flatMap((name) => each(name, notFlags)),
    ...each("priorityFee", [0, 0.1, null]),
  ],
  base: [
    ...each("slippage", [0, 101, "1"]),
    ...each("maxGasPrice", [0, "1"]),
    ...each("gasPreset", ["FAST", null]),
    ...each("autoSell", ["true", null]),
    ...each("priorityFee", [0.1]),
  ],
  sol: [
    ...each("slippage", [0, 101, "1"]),
    ...each("priorityFee", numbersOutOf(-1, -0.001)),
    ...each("mevProtection", ["true", null]),
    ...each("gasPreset", ["fast"]),
    ...each("maxGasPrice", [10]),
  ],
};

/** JSON text, for values that JavaScript would not write as such. */
const texts: [name: string, text: string][] = [
  ["slippage", "1e400"],
  ["slippage", "-1e400"],
  ["slippage", "1e-400"],
  ["slippage", "-0"],
  ["maxGasPrice", "1e400"],
  ["maxGasPrice", "0.0"],
  ["maxGasPrice", "1e-400"],
];

const send = (user: User, target: string, body: string): Promise<Answer> =>
  sendRaw(
    "POST",
    target,
    [
      ["Authorization", `Bearer ${user.token}`],
      ["Content-Type", "application/json"],
    ],
    body,
  );

describe.each(Object.entries(bad))("The settings of %s", (chain, values) => {
  test.each(values)("refuse %s: %j, name it, and stay as they were", async (name, value) => {
    const user = await someUser();

    const answer = await keeping("settings", user, () => changeSettings(user, chain, { [name]: value }));

    expectMessage(answer, 400, new RegExp(name));
  });

  test("stay as they were when one of several changes is bad", async () => {
    const user = await someUser();
    const patch = { slippage: 3, autoBuy: true, mevProtection: "yes" };

    const answer = await keeping("settings", user, () => changeSettings(user, chain, patch));

    expectMessage(answer, 400, /mevProtection/);
  });

  test.each(["_id", "userID", "createdAt", "updatedAt", "version", "chain", "expiresAt", "SK"])(
    "do not let %s be set",
    async (name) => {
      const user = await someUser();

      const answer = await keeping("settings", user, () =>
        changeSettings(user, chain, { slippage: 3, [name]: "1" }),
      );

      expectMessage(answer, 400, new RegExp(name));
    },
  );
});

test.each(texts)("the settings of eth refuse %s: %s", async (name, text) => {
  const user = await someUser();

  const answer = await keeping("settings", user, () =>
    send(user, "/updateTradingSettings/eth", `{"${name}":${text}}`),
  );

  expectMessage(answer, 400, new RegExp(name));
});

test.each([5e-324, 1e-200, 1e-20, 0.1 + 0.2, 1e15, 2 ** 53, 1e126, 1e300, Number.MAX_VALUE])(
  "a gas price of %d is kept exactly or refused",
  async (maxGasPrice) => {
    // The one test here that changes a setting does so of a user whom no other file looks at.
    const [, user] = await twoUsers();

    const answer = await changeSettings(user, "base", { maxGasPrice });

    if (answer.status !== 200) expectMessage(answer, 400, /maxGasPrice/);
    else expect(answer.json).toMatchObject({ maxGasPrice });
  },
);

describe("A chain that has no settings is refused with 400 {message} or is no path:", () => {
  test.each([
    "doge",
    "bsc",
    "avax",
    "ETH",
    "Eth",
    "ethereum",
    "solana",
    "eth,sol",
    "eth%20",
    "%20",
    "eth%00",
    "%00",
    "__proto__",
    "constructor",
    "toString",
    "..%2feth",
    "%7Bchain%7D",
    "x".repeat(300),
    newEvmKey().privateKey,
  ])("%s", async (chain) => {
    const user = await someUser();

    const answer = await keeping("settings", user, () =>
      send(user, `/updateTradingSettings/${chain}`, '{"slippage":3}'),
    );

    if (answer.status === 404) expectError(answer, 404);
    else expectMessage(answer, 400, /chain/);
    expectNoTraceOf(chain, answer);
  });

  test("a name of 2,000 letters", async () => {
    const user = await someUser();

    const answer = await send(user, `/updateTradingSettings/${"x".repeat(2_000)}`, "{}");

    expectRefusal(answer, 400, 404, 414);
  });

  test("and those that have are named", async () => {
    const user = await someUser();

    const answer = await changeSettings(user, "doge", {});

    expectMessage(answer, 400, /\beth\b.*\bbase\b.*\bsol\b/);
  });
});
