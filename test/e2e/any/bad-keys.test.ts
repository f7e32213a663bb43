import { describe, expect, it } from "vitest";
import { badImports, importSecrets } from "../../cases/bad-imports.ts";
import { sampled } from "../../cases/sample.ts";
import { newEvmKey } from "../../support/keys.ts";
import { partIn } from "../../support/traces.ts";
import { post } from "../support/client.ts";
import { expectMessage, expectNoTraceOf } from "../support/expectations.ts";
import { itChangesNo } from "../support/terminal.ts";
import { someUser, type User } from "../support/users.ts";

describe("POST /storeWallet_v2", () => {
  // A user may import 30 wallets at once.
  const users = Array.from({ length: 8 }, someUser);
  const [user] = users as [User];
  const cases = sampled(badImports).map((each, index) => ({
    ...each,
    by: users[index % users.length] as User,
  }));

  it.each(cases)("refuses to import $title", async ({ body, message, by }) => {
    const answer = await post("/storeWallet_v2", { token: by.token, body });

    expectMessage(answer, 400, message);
    expect(partIn(answer.text + JSON.stringify([...answer.headers]), importSecrets)).toBeUndefined();
  });

  it("ignores a private key in the URL", async () => {
    const { privateKey } = newEvmKey();
    const path = `/storeWallet_v2?network=eth&privateKey=${privateKey}`;

    const answer = await post(path, { token: user.token, body: {} });

    expectMessage(answer, 400);
    expectNoTraceOf(privateKey, answer);
  });

  for (const each of users) itChangesNo("wallets", each);
});
