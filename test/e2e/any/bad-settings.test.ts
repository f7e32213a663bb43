import { beforeAll, describe, expect, it } from "vitest";
import { sampled } from "../../cases/sample.ts";
import { badChains, badSettings, gasPrices } from "../../cases/settings.ts";
import { newEvmKey } from "../../support/keys.ts";
import { sendRaw } from "../support/client.ts";
import { expectError, expectMessage, expectNoTraceOf, expectRefusal } from "../support/expectations.ts";
import { changeSettings, itChangesNo } from "../support/terminal.ts";
import { someUser, twoUsers, type User } from "../support/users.ts";

const user = someUser();

describe("POST /updateTradingSettings/{chain}", () => {
  it.each(sampled(badSettings))("refuses $title, and names the field", async ({ chain, body, field }) => {
    expectMessage(await changeSettings(user, chain, body), 400, new RegExp(field));
  });

  it.each([...sampled(badChains), { title: "that is a private key", value: newEvmKey().privateKey }])(
    "refuses the chain $title with 400 or 404",
    async ({ value }) => {
      const headers = [
        ["Authorization", `Bearer ${user.token}`],
        ["Content-Type", "application/json"],
      ] as [string, string][];

      const answer = await sendRaw("POST", `/updateTradingSettings/${value}`, headers, '{"slippage":3}');

      if (answer.status === 404) expectError(answer, 404);
      else expectMessage(answer, 400, /chain/);
      expectNoTraceOf(value, answer);
    },
  );

  it("refuses a chain name of 2,000 letters", async () => {
    const answer = await changeSettings(user, "x".repeat(2_000), {});

    expectRefusal(answer, 400, 404, 414);
  });

  it("names the chains with settings when it refuses one", async () => {
    expectMessage(await changeSettings(user, "doge", {}), 400, /\beth\b.*\bbase\b.*\bsol\b/);
  });

  itChangesNo("settings", user);
});

describe("a gas price", () => {
  // Only these tests change a setting, so they have their own user.
  let other: User;
  beforeAll(async () => {
    [, other] = await twoUsers();
  });

  it.each(sampled(gasPrices))(
    "keeps a gas price of $title exactly, or refuses it",
    async ({ value: maxGasPrice }) => {
      const answer = await changeSettings(other, "base", { maxGasPrice });

      if (answer.status !== 200) expectMessage(answer, 400, /maxGasPrice/);
      else expect(answer.json).toMatchObject({ maxGasPrice });
    },
  );
});
