import { byHand, type CheckGroup, expectSame, expectThat, Skip } from "../check.ts";
import type { Run } from "../run.ts";

const notFound = { error: "Not found" };

/** The REST API and its authorizer. */
export const requestChecks: CheckGroup<Run> = {
  title: "REST API",
  checks: [
    {
      says: "A new user is let in at once: API Gateway accepts the value of the fallback key",
      async run(run) {
        const { status, json } = await run.http.send("GET", "/listWallets", await run.user());
        expectSame("The answer", { status, json }, { status: 200, json: [] });
      },
    },
    {
      says: "The authorizer runs without identity sources: it takes a token from the header alone or the cookie alone",
      async run(run) {
        const { token } = await run.user();
        const { cookieName } = run.service;
        const header = await run.http.send("GET", "/getUserData", { token });
        const cookie = await run.http.send("GET", "/getUserData", {
          headers: { Cookie: `${cookieName}=${token}` },
        });
        expectSame(
          "The status",
          { header: header.status, cookie: cookie.status },
          { header: 200, cookie: 200 },
        );
      },
    },
    {
      says: "A denied request is a 401 with exactly the body of the authorizer",
      async run({ http }) {
        const none = await http.send("GET", "/getUserData");
        expectSame(
          "Without a token, the answer",
          [none.status, none.text],
          [401, '{"error":"No token provided"}'],
        );
        const invalid = await http.send("GET", "/getUserData", { token: "invalid" });
        expectThat(invalid.status === 401, `An invalid token is a ${invalid.status}, not a 401`);
        expectSame("The body of the 401 has fields that", Object.keys(invalid.json ?? {}), ["error"]);
      },
    },
    {
      says: "An expired token is a 401 with needsRefresh",
      async run({ http, service, secrets }) {
        const token = await service.signIn?.expiredToken();
        if (!token) throw new Skip("set VERIFY_EXPIRED_TOKEN to an expired token of the issuer");
        secrets.add(token);
        const { status, json } = await http.send("GET", "/getUserData", { token });
        expectThat(status === 401, `It is a ${status}, not a 401`);
        expectSame("needsRefresh", (json as { needsRefresh?: unknown }).needsRefresh, true);
      },
    },
    {
      says: "An unknown path or method is a 404, with a token too, and does not repeat the token",
      async run(run) {
        const { token } = await run.user();
        const calls = [
          ["GET", "/nothing", {}],
          ["GET", "/nothing", { token }],
          ["DELETE", "/listWallets", { token }],
        ] as const;
        for (const [method, path, call] of calls) {
          const { status, text, json } = await run.http.send(method, path, call);
          const what = `${method} ${path} with${"token" in call ? "" : "out"} a token`;
          expectThat(!text.includes(token), `The answer to ${what} repeats the token`);
          expectSame(what, { status, json: json ?? text }, { status: 404, json: notFound });
        }
      },
    },
    {
      says: "A body of 9 MB is a 413",
      async run(run) {
        const body = JSON.stringify({ network: "eth", privateKey: "x".repeat(9_000_000) });
        const { token } = await run.user();
        const { status } = await run.http.send("POST", "/storeWallet_v2", { token, body });
        expectSame("The status", status, 413);
      },
    },
    {
      says: "With a custom domain and no edge, the default address of the REST API is off",
      async run({ service, http }) {
        const { baseUrl, deployed, edge, plans } = service;
        if (deployed === undefined) throw new Skip("the local runner has no domains");
        if (edge) throw new Skip("the edge needs that address");
        if (new URL(baseUrl).hostname.includes(".execute-api."))
          throw new Skip("this deployment has no custom domain");
        const [rest] = plans.plans.stages;
        const url = `https://${rest?.apiId}.execute-api.${deployed.region}.amazonaws.com/${rest?.stage}/listWallets`;
        expectSame("The status", (await http.sendTo(url, "GET")).status, 403);
      },
    },
    byHand("A function that crashes or times out is a 502, and one that takes 29 s a 504"),
  ],
};
