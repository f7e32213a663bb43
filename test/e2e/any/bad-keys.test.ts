import { describe, expect, it } from "vitest";
import { badImports, importSecrets } from "../../cases/bad-imports.ts";
import { sampled } from "../../cases/sample.ts";
import { newEvmKey } from "../../support/keys.ts";
import { partIn } from "../../support/traces.ts";
import { post } from "../support/client.ts";
import { expectMessage, expectNoTraceOf } from "../support/expectations.ts";
import { itChangesNo } from "../support/terminal.ts";
import { someUser } from "../support/users.ts";

describe("POST /storeWallet_v2", () => {
  const user = someUser();

  it.each(sampled(badImports))("refuses to import $title", async ({ body, message }) => {
    const answer = await post("/storeWallet_v2", { token: user.token, body });

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

  itChangesNo("wallets", user);
});
