import { describe, expect } from "vitest";
import { newEvmKey } from "../../support/keys.ts";
import { send } from "../support/client.ts";
import { importWallet, walletsOf } from "../support/terminal.ts";
import { it, service } from "./support/check.ts";
import { observedLeadingKeys, withWalledTable } from "./support/leading-keys.ts";

describe("IAM", () => {
  it("lets a function check a wallet in a transaction with its own writes, as leadingKeys says", async ({
    user,
  }) => {
    const key = newEvmKey();
    expect((await importWallet(user, key)).status).toBe(200);
    const wallet = (await walletsOf(user)).find((each) => each.generatedWalletAddress === key.address);
    const body = { tokens: "any", tradingEnabled: false };
    const { status, text } = await send("PUT", `/api/v2/wallets/${wallet?._id}/policy`, {
      ...user,
      body,
    });
    expect(status, `${text}; if setWalletPolicy was denied a write, change leadingKeys`).toBe(200);
  });

  it("compares the configured leadingKeys with the writes that IAM denies in transactions", async ({
    deployed,
  }) => {
    const { TRANSACTION_PARTITIONS } = await deployed.environmentOf("setWalletPolicy");
    const configured = TRANSACTION_PARTITIONS === "" ? "each-part" : "whole-request";
    const observed = await withWalledTable(service.table, observedLeadingKeys);
    expect(observed, "with none, the walls do not hold").not.toBe("none");
    expect(configured, `set the context leadingKeys to ${observed}`).toBe(observed);
  });
});
