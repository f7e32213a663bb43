/**
 * Imitates a back end on a single machine: Express, jose for tokens, an in-memory token bucket, and SQLite for wallets
 * and settings. It serves two of the service's operations. Each message from the benchmark stores a user's wallets.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import express, { type RequestHandler } from "express";
import * as v from "valibot";
import { SettingsPatchSchema } from "../../lib/api/settings-schema.ts";
import { tokenVerifier } from "../../lib/runtime/token-verifier.ts";
import { checkPatch, settingsInForce } from "../../lib/users/settings.ts";
import { say } from "./child.ts";

export type BoxRequest = { userID: string; wallets: object[] };
export type BoxAnswer = { baseUrl: string };

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "" },
    issuer: { type: "string", default: "" },
    audience: { type: "string", default: "" },
    "jwks-uri": { type: "string", default: "" },
  },
});
const { folder, issuer, audience } = values;

/** Requests allowed per user, far more than one machine can serve. */
const requestsPerMinute = 6_000_000;

const database = new DatabaseSync(join(folder, "box.sqlite"));
// Skips waiting for the disk on writes, so a power failure may lose the latest ones.
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE wallets (userID TEXT NOT NULL, wallet TEXT NOT NULL);
  CREATE INDEX walletsOfUser ON wallets (userID);
  CREATE TABLE settings (userID TEXT, chain TEXT, record TEXT NOT NULL, PRIMARY KEY (userID, chain));
`);
const addWallet = database.prepare("INSERT INTO wallets VALUES (?, ?)");
const walletsOf = database.prepare("SELECT wallet FROM wallets WHERE userID = ? ORDER BY rowid");
const settingsOf = database.prepare("SELECT record FROM settings WHERE userID = ? AND chain = ?");
const saveSettings = database.prepare("INSERT OR REPLACE INTO settings VALUES (?, ?, ?)");

/** Verifies tokens with jose and caches the verified ones. */
const verify = tokenVerifier({ issuer, audience, jwksUri: values["jwks-uri"], maxTokenSeconds: 90_000 });
const buckets = new Map<string, { tokens: number; atMs: number }>();

const authorize: RequestHandler = async (request, response, next) => {
  const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
  const userID = await verify(token).then(
    ({ sub }) => sub,
    () => undefined,
  );
  if (userID === undefined) response.status(401).json({ message: "Unauthorized" });
  else if (!takeToken(userID)) response.status(429).json({ message: "Too many requests" });
  else {
    response.locals.userID = userID;
    next();
  }
};

function takeToken(userID: string): boolean {
  const nowMs = Date.now();
  const { tokens, atMs } = buckets.get(userID) ?? { tokens: requestsPerMinute, atMs: nowMs };
  const left = Math.min(requestsPerMinute, tokens + ((nowMs - atMs) / 60_000) * requestsPerMinute);
  buckets.set(userID, { tokens: left < 1 ? left : left - 1, atMs: nowMs });
  return left >= 1;
}

const app = express().disable("etag").disable("x-powered-by");
app.use(authorize, express.json());
app.get("/listWallets", (_, response) => {
  const rows = walletsOf.all(response.locals.userID) as { wallet: string }[];
  response.json(rows.map(({ wallet }) => JSON.parse(wallet)));
});
app.post("/updateTradingSettings/eth", (request, response) => {
  const { userID } = response.locals;
  const patch = v.safeParse(SettingsPatchSchema, request.body);
  if (!patch.success) {
    response.status(400).json({ message: "Invalid settings" });
    return;
  }
  const found = settingsOf.get(userID, "eth") as { record: string } | undefined;
  const now = new Date().toISOString();
  const stored = found ? JSON.parse(found.record) : { _id: randomUUID(), userID, createdAt: now, version: 0 };
  const record = {
    ...stored,
    ...checkPatch("eth", patch.output),
    updatedAt: now,
    version: stored.version + 1,
  };
  saveSettings.run(userID, "eth", JSON.stringify(record));
  const { version, ...shown } = { ...record, ...settingsInForce("eth", record) };
  response.set("ETag", `"${version}"`).json(shown);
});

const server = createServer(app);
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

process.on("message", ({ userID, wallets }: BoxRequest) => {
  for (const wallet of wallets) addWallet.run(userID, JSON.stringify(wallet));
  say({ baseUrl });
});

say({ baseUrl } satisfies BoxAnswer);
