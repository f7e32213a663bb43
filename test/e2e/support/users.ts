import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { beforeAll } from "vitest";
import { get } from "./client.ts";
import { deployment } from "./deployment.ts";

const run = promisify(execFile);

export type User = { id: string; token: string };

/** Claims that tests can choose for the local issuer's tokens. */
export type Subject = {
  sub: string;
  username?: string;
  ref?: unknown;
  expiresIn?: number;
  signedInSecondsAgo?: number;
};

/** Creates a user whom the service does not know yet. */
export async function newUser(subject: Partial<Subject> = {}): Promise<User> {
  const { tokens } = deployment();
  const sub = subject.sub ?? `e2e-${randomUUID()}`;
  if (tokens.from === "issuer") return userOf(await issueToken({ sub, ...subject }));
  if (tokens.from === "command") return userOf(await tokenByCommand(tokens.template, sub));
  throw new Error("This test needs new users");
}

/** Creates a user who has signed in. */
export async function knownUser(): Promise<User> {
  const user = await newUser();
  await get("/getUserData", user);
  return user;
}

/** Returns two different users, with or without data. */
export async function twoUsers(): Promise<[User, User]> {
  const { tokens } = deployment();
  if (tokens.from === "environment") return [userOf(tokens.tokens[0]), userOf(tokens.tokens[1])];
  return Promise.all([newUser(), newUser()]);
}

/** Provides one user for all tests of a file or group, with or without data. */
export function someUser(): User {
  const user: User = { id: "", token: "" };
  beforeAll(async () => {
    const { tokens } = deployment();
    const found = tokens.from === "environment" ? userOf(tokens.tokens[0]) : await newUser();
    Object.assign(user, found);
  });
  return user;
}

/** Requests a token from the local issuer. */
export async function issueToken(subject: Subject): Promise<string> {
  const response = await fetch(`${deployment().baseUrl}/_local/issuer/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(subject),
  });
  if (!response.ok) throw new Error(`The issuer answers ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

async function tokenByCommand(template: string, user: string): Promise<string> {
  const { stdout } = await run("/bin/sh", ["-c", template.replaceAll("{user}", user)]);
  return stdout.trim();
}

function userOf(token: string): User {
  const { sub } = decodeJwt(token);
  if (sub === undefined) throw new Error("The token has no subject");
  return { id: sub, token };
}
