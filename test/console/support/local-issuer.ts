import {
  createCodeFlow,
  createIssuer,
  ISSUER_PATH,
  memoryStore,
  ownPaths,
  signingKey,
} from "cdk-local-runner/testing";
import type { SignInConfig } from "../../../lib/console/app/sign-in/config.ts";

export const pageUrl = "http://127.0.0.1:3000/console/";

export const config: SignInConfig = {
  issuer: `http://127.0.0.1:3000${ISSUER_PATH}`,
  clientId: "console",
  scope: "openid offline_access",
};

const key = await signingKey(memoryStore);

/** The local runner's issuer without a server. `change` makes it answer as a faulty one does. */
export function localIssuer(
  change: (url: URL, answer: Response) => Response | Promise<Response> = (_, a) => a,
) {
  const issuer = createIssuer(config.issuer, key, "the-api");
  const clients = [{ clientId: config.clientId, redirectUris: [pageUrl] }];
  const flow = createCodeFlow({ issuer, clients, store: memoryStore });
  const serve = ownPaths({ issuer, describe: () => ({}), flow });
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (...request) => {
    const { url, method, headers, body } = new Request(...request);
    const target = new URL(url);
    asked.push(target.pathname.replace(ISSUER_PATH, ""));
    const answer = await serve({
      method,
      target: target.pathname + target.search,
      headers: [...headers],
      body: Buffer.from(body ? new Uint8Array(await new Response(body).arrayBuffer()) : []),
      sourceIp: "127.0.0.1",
    });
    if (answer === undefined) throw new Error(`The issuer does not serve ${url}`);
    const { status } = answer;
    const content = status === 204 || status === 303 ? null : new Uint8Array(answer.body);
    return change(
      target,
      new Response(content, {
        status,
        headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
      }),
    );
  };
  return {
    fetch,
    /** Paths of all requests, below the issuer's. */
    asked,
    /** Signs a user in on the issuer's page, and returns its answer. An undefined user presses Cancel. */
    async signIn(url: string, user: string | undefined): Promise<URLSearchParams> {
      const body = new URLSearchParams(new URL(url).search);
      if (user === undefined) body.set("refused", "yes");
      else body.set("user", user);
      const answer = await fetch(url, { method: "POST", body });
      return new URL(answer.headers.get("location") ?? "").searchParams;
    },
  };
}

/** Replaces fields of a JSON answer. */
export const withFields = async (answer: Response, fields: object) =>
  Response.json({ ...((await answer.json()) as object), ...fields }, { status: answer.status });
