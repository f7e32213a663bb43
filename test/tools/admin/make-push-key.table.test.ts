import { SSMClient } from "@aws-sdk/client-ssm";
import { awsServices, listen, memoryStore, parametersService } from "cdk-local-runner/testing";
import { afterAll, expect, it } from "vitest";
import { readPublicPushKey } from "../../../lib/devices/device-records.ts";
import { readPushKey } from "../../../lib/devices/push-key.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { runWith } from "./support/admin.ts";

const db = tableForTests();
const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const server = await listen(0, awsServices(credentials, [parametersService(memoryStore)]), () => {});
const client = new SSMClient({ endpoint: server.url, region: "us-east-1", credentials });
afterAll(async () => {
  client.destroy();
  await server.close();
});

const make = (contact: string, mayReplace = false) =>
  runWith(["make-push-key", "--contact", contact, "--local", "3000"], {
    openTarget: async () => ({ table: db.table, vault: undefined as never }),
    openParameters: async () => client,
    confirm: async () => mayReplace,
  });

it("make-push-key makes a key once, shows only its public part, and replaces it on request", async () => {
  expect(await make("ops@example.com")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: --contact must be/),
  });
  expect(await readPushKey(client)).toBeUndefined();

  const made = await make("mailto:ops@example.com");
  const key = await readPushKey(client);
  expect(made).toMatchObject({ code: 0, out: `Made the key ${key?.publicKey}\n` });
  expect(await readPublicPushKey(db.table)).toBe(key?.publicKey);

  expect(await make("mailto:new@example.com")).toMatchObject({
    code: 0,
    out: `Kept the key ${key?.publicKey}\n`,
  });
  expect(await readPushKey(client)).toEqual(key);
  await make("mailto:new@example.com", true);
  const replaced = await readPushKey(client);
  expect(replaced).toMatchObject({ subject: "mailto:new@example.com" });
  expect(await readPublicPushKey(db.table)).toBe(replaced?.publicKey);
  expect(replaced?.publicKey).not.toBe(key?.publicKey);
});
