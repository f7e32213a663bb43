import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pushReceiver, vapidClaims } from "../../support/push-receiver.ts";
import { exportKeyPair } from "../../support/sealing.ts";
import { admin } from "../support/admin.ts";
import { get, post, send } from "../support/client.ts";
import { deployment } from "../support/deployment.ts";
import { orderReport, record } from "../support/executions.ts";
import { knownUser, type User } from "../support/users.ts";
import { noteSecret } from "../support/written.ts";

type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer };
type Notice = { id: string; type: string; data: Record<string, unknown> };
type Device = { deviceId: string; leavesAt?: string; lastFailure?: { code: string; status?: number } };

const received: Received[] = [];
const statuses = new Map<string, number>();

/** A push service, and the servers of webhooks. */
const server = createServer(async (request, response) => {
  const path = request.url ?? "";
  received.push({ path, headers: request.headers, body: await buffer(request) });
  response.writeHead(statuses.get(path) ?? 201, { Location: "http://169.254.169.254/latest/" }).end();
});
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await admin("make-push-key", "--contact", "mailto:ops@example.com");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Makes a path that no output may contain. */
function secretPath(): string {
  const word = randomBytes(18).toString("hex");
  noteSecret("stored word", [word]);
  return `/${word}`;
}

/** Registers a device. Does not keep the response, which has a webhook's secret. */
async function register({ token }: User, body: object) {
  const response = await fetch(`${deployment().baseUrl}/api/v2/devices`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Answer };
}

type Answer = { data: { device: Device & { secret: string } }; error: { code: string; details: object } };

async function webhook(user: User, path: string) {
  const { status, json } = await register(user, { type: "webhook", name: "Desk", url: origin + path });
  expect(status, JSON.stringify(json)).toBe(200);
  const { deviceId, secret } = json.data.device;
  noteSecret("stored word", [secret.slice("whsec_".length)]);
  return { deviceId, secret };
}

async function devicesOf(user: User): Promise<{ devices: Device[]; pushKey: string }> {
  const { json, text } = await get("/api/v2/devices", user);
  const { data } = json as { data?: { devices: Device[]; pushKey: string } };
  if (data === undefined) throw new Error(text);
  return data;
}

const at = (path: string) => received.filter((each) => each.path === path);
const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 500 });

const opened = ({ headers, body }: Received, secret: string) =>
  new Webhook(secret).verify(body.toString(), headers as Record<string, string>) as Notice;

const fill = (user: User) => {
  const changes = { status: "filled", filledAmount: "4", updatedAt: new Date().toISOString() };
  return record(orderReport(user, randomUUID(), 1, { type: "market", ...changes }));
};

describe("a user's devices", () => {
  it("get a fill and a requested export, encrypted for the browser and signed for the webhook, under one id", async () => {
    const user = await knownUser();
    const { pushKey } = await devicesOf(user);
    const browser = pushReceiver();
    noteSecret("stored word", [browser.keys.auth]);
    const [pushPath, hookPath] = [secretPath(), secretPath()];
    const subscription = { endpoint: origin + pushPath, keys: browser.keys };
    expect((await register(user, { type: "push", name: "Phone", subscription })).status).toBe(200);
    const { secret } = await webhook(user, hookPath);

    const pushes = () => at(pushPath).map(({ body }) => JSON.parse(browser.decrypt(body)) as Notice);
    // Leaves out the news of the browser, which may come after the webhook is added.
    const hooks = () =>
      at(hookPath)
        .map((each) => opened(each, secret))
        .filter(({ type }) => type !== "DeviceAdded");
    await until(() => expect(pushes().map(({ type }) => type)).toEqual(["DeviceAdded"]));
    const claims = vapidClaims(String(at(pushPath)[0]?.headers.authorization), pushKey);
    expect(claims).toMatchObject({ aud: origin, sub: "mailto:ops@example.com" });

    await fill(user);
    await until(() => expect(hooks().map(({ type }) => type)).toEqual(["OrderFilled"]));
    const created = await post("/api/v2/wallets", {
      ...user,
      headers: { "Idempotency-Key": randomUUID() },
      body: { network: "eth" },
    });
    const { _id } = (created.json as { data: { wallet: { _id: string } } }).data.wallet;
    const { jwk: publicKey } = await exportKeyPair();
    await post(`/api/v2/wallets/${_id}/export`, { ...user, body: { publicKey } });
    await until(() => {
      expect(pushes().map(({ type }) => type)).toEqual([
        "DeviceAdded",
        "OrderFilled",
        "WalletExportRequested",
      ]);
      expect(hooks()).toEqual(pushes().slice(1));
    });
    expect(hooks()[1]?.data).toMatchObject({ walletId: _id });
    expect(JSON.stringify(hooks())).not.toContain(user.id);
    expect(at(pushPath).map((each) => each.headers.topic)).toEqual(pushes().map(({ id }) => id));
    for (const each of at(hookPath)) expect(each.headers["webhook-id"]).toBe(opened(each, secret).id);
  });

  it("are removed when they are gone, and their users see which one fails, without a redirect being followed", async () => {
    const user = await knownUser();
    const [gone, moved] = [secretPath(), secretPath()];
    await webhook(user, gone);
    await webhook(user, moved);
    statuses.set(gone, 410).set(moved, 307);
    await fill(user);
    await until(async () => {
      const { devices } = await devicesOf(user);
      expect(devices).toMatchObject([{ lastFailure: { code: "BAD_STATUS", status: 307 } }]);
    });
    statuses.delete(moved);
    // The first pause is ten seconds.
    await until(() => expect(at(moved).length).toBeGreaterThan(1));
    const ids = at(moved).map(({ headers }) => headers["webhook-id"]);
    expect(ids.filter((id) => id === ids[0]).length).toBeGreaterThan(1);
    expect(received.map(({ path }) => path)).not.toContain("/latest/");
  }, 60_000);

  it("are told of their own removal, and refused where no notice may go", async () => {
    const user = await knownUser();
    const path = secretPath();
    const { deviceId, secret } = await webhook(user, path);
    const removal = () => send("DELETE", `/api/v2/devices/${deviceId}`, user);
    const { json } = await removal();
    const { leavesAt } = (json as { data: { device: Device } }).data.device;
    expect((await removal()).json).toMatchObject({ data: { device: { leavesAt } } });
    await until(() => {
      const notices = at(path).map((each) => opened(each, secret));
      expect(notices).toMatchObject([{ type: "DeviceRemoved", data: { deviceId, leavesAt } }]);
    });

    for (const url of ["http://169.254.169.254/", "https://[::ffff:169.254.169.254]/", "https://10.0.0.1/"]) {
      const refused = await register(user, { type: "webhook", name: "Desk", url });
      expect(refused).toMatchObject({
        status: 400,
        json: { error: { code: "INVALID_REQUEST", details: { field: "url" } } },
      });
    }
    expect((await devicesOf(user)).devices).toHaveLength(1);
  });
});
