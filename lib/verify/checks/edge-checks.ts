import { byHand, type CheckGroup, expectSame, expectThat, Skip } from "../check.ts";
import type { Run } from "../run.ts";
import type { Edge } from "../service.ts";
import { HandshakeRefused } from "../socket.ts";

/** Longer than a cold start of each function on the way. */
const arrivalMs = 20_000;

/** The one address of both APIs, and their own ones behind it. */
export const edgeChecks: CheckGroup<Run> = {
  title: "One address",
  checks: [
    {
      says: "The edge opens WebSocket connections at /stream, and brings changes of settings there",
      async run(run) {
        const { streamUrl: url } = edgeOf(run);
        const { token } = await run.user();
        const socket = await run.connect({ subprotocols: ["access_token", token], url });
        expectSame("The selected subprotocol", socket.subprotocol, "access_token");
        await run.http.send("POST", "/updateTradingSettings/base", { token, body: { slippage: 2 } });
        await socket.message({ type: "TradingSettingsUpdated" }, run.patience(arrivalMs));
      },
    },
    {
      says: "The edge keeps no error, and answers the next request by asking again",
      async run(run) {
        edgeOf(run);
        const path = `/verify-${run.startedAt.getTime()}`;
        for (const attempt of ["The first answer", "The second answer"]) {
          const { status, headers } = await run.http.send("GET", path);
          expectSame(`${attempt}'s status`, status, 404);
          expectThat(headers.age === undefined, `${attempt} was kept for ${headers.age} s`);
        }
      },
    },
    {
      says: "A strong ETag comes through the edge, also to clients that take compressed answers",
      async run(run) {
        edgeOf(run);
        const { token } = await run.user();
        const headers = { "Accept-Encoding": "gzip, br" };
        const first = await run.http.send("GET", "/api/v2/settings/sol", { token, headers });
        expectThat(/^"\d+"$/.test(first.headers.etag ?? ""), `The ETag is ${first.headers.etag}`);
        const given = { "If-None-Match": first.headers.etag ?? "" };
        const again = await run.http.send("GET", "/api/v2/settings/sol", { token, headers: given });
        expectSame("The status with If-None-Match", again.status, 304);
      },
    },
    {
      says: "CloudFront answers a GET with a body itself, with a 403 that is a page",
      async run(run) {
        edgeOf(run);
        const { status, headers } = await run.http.send("GET", "/listWallets", { body: {} });
        expectSame("The status", status, 403);
        expectThat(headers["content-type"]?.startsWith("text/html") === true, "It is no page");
      },
    },
    {
      says: "The APIs' own addresses answer, or with edgeOnly refuse with a 403 what lacks the origin key",
      async run(run) {
        const { own } = edgeOf(run);
        const { deployed } = run.service;
        const variables = (await deployed?.environmentOf("authorize")) ?? {};
        const wanted = variables.EDGE_ONLY === "true" ? 403 : 200;
        const { token } = await run.user();
        const headers = { "x-origin-key": "guessed" };
        const { status } = await run.http.sendTo(`${own.baseUrl}/getUserData`, "GET", { token, headers });
        expectSame("The REST API's status", status, wanted);
        const stream = await statusAt(run, own.streamUrl, token);
        expectSame("The stream's status", stream, wanted === 200 ? 101 : 403);
      },
    },
    byHand("Access logs name the client's address, and not CloudFront's"),
    byHand("The firewall answers an address that sends too much with a 429 in JSON"),
    byHand("Another originKeyLabel reaches the authorizers and the distribution"),
  ],
};

function edgeOf({ service: { edge } }: Run): Edge {
  if (edge === undefined) throw new Skip("this deployment has no edge");
  return edge;
}

async function statusAt(run: Run, url: string, token: string): Promise<number> {
  try {
    (await run.connect({ token, url })).close();
    return 101;
  } catch (error) {
    if (error instanceof HandshakeRefused) return error.status;
    throw error;
  }
}
