import { expect, it } from "vitest";
import { signingConfigurationOf } from "../../../lib/chains/families/configuration.ts";
import { defaultChains, defaultSol } from "../../../lib/infra/default-chains.ts";

it("keeps hosts, relays and keys out of the signer's configuration, and the accounts that may get tips in it", () => {
  const relay = { url: "https://relay.example/{key}", tipAccounts: ["tip"], leastTip: "0.001" };
  const jupiter = { url: "https://jupiter.example", key: "{jupiter}" };
  const hosts = ["https://rpc.example/{alchemy}"];
  const { eth } = defaultChains;
  const signing = signingConfigurationOf({
    eth: { ...eth, hosts, relay: "https://relay.example/{key}" },
    sol: { ...defaultSol, hosts, relay, jupiter },
  });
  expect(JSON.stringify(signing)).not.toMatch(/:\/\/|\{[a-z]/);
  expect(signing.eth).toMatchObject({
    venues: eth.venues,
    quoteTokens: eth.quoteTokens,
    wrapped: eth.wrapped,
  });
  expect(signing.sol?.relay).toEqual({ tipAccounts: ["tip"], leastTip: "0.001" });
});
