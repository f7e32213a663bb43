import { describe, expect, it } from "vitest";
import { restMethods } from "../../../lib/operations/operations.ts";
import { curlSample } from "../../../lib/tools/documents/request-samples.ts";
import { restExamples } from "../../../lib/tools/documents/rest-examples.ts";
import { curlRequests } from "../../support/curl-requests.ts";
import { deployment } from "../support/deployment.ts";
import { orderReport, record } from "../support/executions.ts";
import { knownUser } from "../support/users.ts";

/**
 * Expected statuses other than 200. Responses about the cookie have no body, another engine's order cannot be cancelled
 * through this service, and no host of an example exists.
 */
const otherwise: Readonly<Record<string, number>> = {
  startSession: 204,
  endSession: 204,
  cancelOrder: 409,
  createDevice: 400,
  deleteDevice: 404,
};

/** Only simulates the order, since a trade would change the prices that other tests expect. */
const inTest = (name: string, body: string): string =>
  name === "placeOrder" ? body.replace("}", ',"dryRun":true}') : body;

describe("the samples of the reference page", () => {
  it("runs every sample exactly as written, one after another", async () => {
    const { baseUrl } = deployment();
    const user = await knownUser();
    await record(orderReport(user, "o-sample", 1));
    const rows = restMethods.filter(({ name }) => name !== "importWallet");
    const lines = rows.map((row) => curlSample(row, restExamples[row.name]));
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const variables = `EXPIRES_AT=${inAnHour} BASE_URL=${baseUrl} TOKEN=${user.token} WALLET_ID=@wallet KEY_ID=@key ORDER_ID=o-sample`;
    const requests = await curlRequests([variables, ...lines].join("\n"));

    const statuses: Record<string, number> = {};
    let [walletId, keyId] = ["", ""];
    for (const [index, { method, url, headers, body }] of requests.entries()) {
      const { name } = rows[index] as (typeof rows)[number];
      const response = await fetch(url.replace("@wallet", walletId).replace("@key", keyId), {
        method,
        headers: headers.map((header) => header.split(": ") as [string, string]),
        ...(body !== undefined && { body: inTest(name, body) }),
      });
      const answer = await response.text();
      if (name === "createKey") keyId = JSON.parse(answer).data.key.keyId;
      if (name === "createWallet") walletId = JSON.parse(answer).data.wallet._id;
      statuses[name] = response.status;
    }
    const expected = Object.fromEntries(rows.map(({ name }) => [name, otherwise[name] ?? 200]));
    // Expects a 404 if another test has replaced the catalogue.
    expect(statuses).toEqual({ ...expected, redeemReward: expect.toBeOneOf([200, 404]) });
  });
});
