import { byHand, type CheckGroup, expectSame, expectThat } from "../check.ts";
import type { Run } from "../run.ts";

/** What API Gateway has to pass on unchanged for sessions and settings. */
export const accountChecks: CheckGroup<Run> = {
  title: "Sessions and settings",
  checks: [
    {
      says: "API Gateway passes on the cookie of a session, which signs in, and its end",
      async run(run) {
        const { token } = await run.user();
        const begun = await run.http.send("POST", "/api/v2/session", { token, body: {} });
        const [cookie = "", ...attributes] = begun.headers["set-cookie"]?.[0]?.split("; ") ?? [];
        expectSame("The answer", [begun.status, begun.text], [204, ""]);
        for (const attribute of ["HttpOnly", "Secure", "Path=/"])
          expectThat(attributes.includes(attribute), `The cookie is not ${attribute}`);
        const read = await run.http.send("GET", "/getUserData", { headers: { Cookie: cookie } });
        expectSame("The status with the cookie", read.status, 200);
        const ended = await run.http.send("DELETE", "/api/v2/session", { headers: { Cookie: cookie } });
        const isRemoved = ended.headers["set-cookie"]?.[0]?.includes("Max-Age=0") ?? false;
        expectThat(ended.status === 204 && isRemoved, "The end of the session does not remove the cookie");
      },
    },
    {
      says: "API Gateway passes If-Match on, and a change of settings with an old ETag is a 412",
      async run(run) {
        const { token } = await run.user();
        const change = (etag: string) =>
          run.http.send("POST", "/updateTradingSettings/sol", {
            ...{ token, body: { slippage: 1.5 } },
            headers: { "If-Match": etag },
          });
        const { etag = "" } = (await run.http.send("GET", "/api/v2/settings/sol", { token })).headers;
        const first = await change(etag);
        expectSame("The status of the first change", first.status, 200);
        expectThat(first.headers.etag !== etag, `The ETag is still ${etag}`);
        expectSame("The status of the second change", (await change(etag)).status, 412);
      },
    },
    {
      says: "The authorizer's context brings the user's plan to the functions, whose answers name it",
      async run(run) {
        const { headers } = await run.http.send("GET", "/listWallets", await run.user());
        const policy = headers["ratelimit-policy"];
        expectThat(/^"[a-z]+";q=\d+;w=60$/.test(`${policy}`), `RateLimit-Policy is ${policy}`);
      },
    },
    byHand("`create-user` and `token --stack` go through a temporary password and an authenticator"),
  ],
};
