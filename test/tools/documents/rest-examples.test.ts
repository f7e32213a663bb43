import { exampleSolWallet } from "trading-terminal-devnet/example-wallets";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { OperationSchemas } from "../../../lib/api/operation-schema.ts";
import { schemas } from "../../../lib/api/operation-schemas.ts";
import { restMethods } from "../../../lib/operations/operations.ts";
import { validate } from "../../../lib/runtime/validate.ts";
import { clientSample, curlSample, queryText } from "../../../lib/tools/documents/request-samples.ts";
import { type RestExample, restExamples, solBodies } from "../../../lib/tools/documents/rest-examples.ts";
import { curlRequests } from "../../support/curl-requests.ts";

describe("the example of each request", () => {
  it.each(restMethods)("gives all inputs of $name in an accepted form", ({ name }) => {
    const schema: OperationSchemas = schemas[name];
    const { path, query, headers, body }: RestExample = restExamples[name] ?? {};
    if (schema.path) validate(schema.path, path);
    if (schema.query) validate(schema.query, queryText(query ?? {}));
    if (schema.headers) {
      validate(schema.headers, headers);
      expect(headers).toBeDefined();
    }
    if (schema.body) validate(schema.body, body);
    const given = { path, query, headers, body };
    for (const [part, value] of Object.entries(given))
      if (value !== undefined) expect(schema).toHaveProperty(part);
  });

  it.each(Object.entries(solBodies))("gives an accepted body for Solana: %s", async (name, body) => {
    const schema: OperationSchemas = schemas[name as keyof typeof schemas];
    if (schema.body === undefined) throw new Error("It has no body");
    validate(schema.body, body);
    const { tokens } = await solDeployment();
    if ("token" in body)
      expect(body).toMatchObject({ wallet: exampleSolWallet.address, token: tokens.MOON.mint });
  });

  it.each(restMethods)("becomes a call of the client for $name", async ({ name }) => {
    // Thirty days before the key of the example ends.
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2027-01-01T00:00:00.000Z") });
    onTestFinished(() => void vi.useRealTimers());
    const { headers, ...example }: RestExample = restExamples[name] ?? {};
    const { "Idempotency-Key": _, ...others } = headers ?? {};
    const calls: unknown[] = [];
    const terminal = { [name]: async (request?: object) => calls.push(request) && { data: {} } };
    const run = new Function(
      "terminal",
      `return (async () => { ${clientSample(name, restExamples[name])} })()`,
    );
    await run(terminal);
    const expected = { ...example, ...(Object.keys(others).length > 0 && { headers: others }) };
    expect(calls).toEqual([Object.keys(expected).length > 0 ? expected : undefined]);
  });

  it("becomes a shell command", async () => {
    const wallet = { method: "PATCH", path: "/api/v2/wallets/{walletId}" } as const;
    const body = { slotName: "Vault $1 `x`", expiresAt: "2026-12-01T00:00:00.000Z" };
    const sample = curlSample(wallet, { path: { walletId: "8f14e45f" }, query: { limit: "2" }, body });
    const [request] = await curlRequests(
      `BASE_URL=http://host TOKEN=secret WALLET_ID=w-1 EXPIRES_AT=later\n${sample}`,
    );
    expect(request).toEqual({
      method: "PATCH",
      url: "http://host/api/v2/wallets/w-1?limit=2",
      headers: ["Authorization: Bearer secret", "Content-Type: application/json"],
      body: JSON.stringify({ ...body, expiresAt: "later" }),
    });
  });
});
